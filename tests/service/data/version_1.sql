PRAGMA application_id = 1415004721;
PRAGMA user_version = 1;
CREATE TABLE account (
	id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	name TEXT NOT NULL, 
	organization_id TEXT, 
	plan_tier TEXT, 
	created_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (slug)
)
 STRICT;
CREATE TABLE import_file (
	id INTEGER NOT NULL, 
	file TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	started_at INTEGER NOT NULL, 
	finished_at INTEGER, 
	entries INTEGER NOT NULL, 
	tombstones INTEGER NOT NULL, 
	new INTEGER NOT NULL, 
	updated INTEGER NOT NULL, 
	unchanged INTEGER NOT NULL, 
	withdrawn INTEGER NOT NULL, 
	refused INTEGER NOT NULL, 
	PRIMARY KEY (id)
)
 STRICT;
CREATE TABLE notice_version (
	tender_id TEXT NOT NULL, 
	version_at INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	file_time TEXT NOT NULL, 
	stage INTEGER NOT NULL, 
	status INTEGER NOT NULL, 
	cancelled INTEGER NOT NULL, 
	significant BLOB NOT NULL, 
	PRIMARY KEY (tender_id, version_at, digest)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE organization (
	id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	name TEXT NOT NULL, 
	name_at INTEGER NOT NULL, 
	is_buyer INTEGER NOT NULL, 
	tax_id TEXT, 
	activity TEXT, 
	activity_at INTEGER, 
	country TEXT, 
	city TEXT, 
	province TEXT, 
	post_code TEXT, 
	street TEXT, 
	place_at INTEGER, 
	web_url TEXT, 
	web_url_at INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (slug)
)
 STRICT;
CREATE TABLE service_secret (
	name TEXT NOT NULL, 
	value BLOB NOT NULL, 
	created_at INTEGER NOT NULL, 
	PRIMARY KEY (name)
)
 STRICT;
CREATE TABLE tender_text (
	rid INTEGER NOT NULL, 
	title TEXT NOT NULL, 
	description TEXT NOT NULL, 
	facets TEXT NOT NULL, 
	PRIMARY KEY (rid)
)
 STRICT;
CREATE TABLE withdrawal (
	tender_id TEXT NOT NULL, 
	at INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	source TEXT NOT NULL, 
	source_id TEXT NOT NULL, 
	PRIMARY KEY (tender_id, at, reason)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE account_user (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	email TEXT, 
	created_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE alert (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	description TEXT, 
	criteria TEXT NOT NULL, 
	windows_search TEXT NOT NULL, 
	notification_config TEXT NOT NULL, 
	responsibles TEXT NOT NULL, 
	is_active INTEGER NOT NULL, 
	is_public INTEGER NOT NULL, 
	is_archived INTEGER NOT NULL, 
	is_auto_configured INTEGER NOT NULL, 
	created_by TEXT NOT NULL, 
	last_notified_at INTEGER, 
	last_notification_sent_at INTEGER, 
	next_run_at INTEGER, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE api_key (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	last4 TEXT NOT NULL, 
	mcp_enabled INTEGER NOT NULL, 
	rate_limit INTEGER, 
	tool_rate_limit INTEGER, 
	created_at INTEGER NOT NULL, 
	expires_at INTEGER, 
	disabled_at INTEGER, 
	last_used_at INTEGER, 
	PRIMARY KEY (id), 
	CONSTRAINT rate_limit_is_positive CHECK (rate_limit IS NULL OR rate_limit > 0), 
	CONSTRAINT tool_rate_limit_is_positive CHECK (tool_rate_limit IS NULL OR tool_rate_limit > 0), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	UNIQUE (digest)
)
 STRICT;
CREATE TABLE pipeline (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sort_points REAL NOT NULL, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT pipeline_name_is_unique UNIQUE (account_id, name), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE team (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	created_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT team_name_is_unique UNIQUE (account_id, name), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE tender (
	rid INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	status INTEGER NOT NULL, 
	published INTEGER NOT NULL, 
	updated INTEGER NOT NULL, 
	deadline INTEGER, 
	awarded INTEGER, 
	expires INTEGER, 
	significant INTEGER NOT NULL, 
	budget REAL, 
	prorated_budget REAL, 
	buyer_id TEXT, 
	division TEXT, 
	source TEXT NOT NULL, 
	source_id TEXT NOT NULL, 
	notice_status INTEGER NOT NULL, 
	published_stated INTEGER, 
	cancelled INTEGER NOT NULL, 
	archived_at INTEGER, 
	removed_at INTEGER, 
	version_at INTEGER NOT NULL, 
	version_digest BLOB NOT NULL, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (rid), 
	UNIQUE (id), 
	FOREIGN KEY(buyer_id) REFERENCES organization (id)
)
 STRICT;
CREATE TABLE workspace_history (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	row_id TEXT NOT NULL, 
	changes TEXT NOT NULL, 
	actor_type TEXT NOT NULL, 
	actor_id TEXT, 
	at INTEGER NOT NULL, 
	FOREIGN KEY(account_id) REFERENCES account (id)
)
 STRICT;
CREATE TABLE award (
	tender_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	lot_id TEXT, 
	supplier_id TEXT, 
	result_code TEXT, 
	result TEXT, 
	amount_no_taxes REAL, 
	amount_with_taxes REAL, 
	currency TEXT, 
	offers INTEGER, 
	lowest_offer REAL, 
	highest_offer REAL, 
	awarded_at INTEGER, 
	contract_at INTEGER, 
	contract_start INTEGER, 
	year INTEGER, 
	division TEXT, 
	PRIMARY KEY (tender_id, position), 
	FOREIGN KEY(tender_id) REFERENCES tender (id) ON DELETE CASCADE, 
	FOREIGN KEY(supplier_id) REFERENCES organization (id)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE document (
	id TEXT NOT NULL, 
	tender_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	type TEXT, 
	mime_type TEXT, 
	size INTEGER, 
	uri TEXT, 
	digest TEXT, 
	published_at INTEGER, 
	language TEXT, 
	content BLOB, 
	PRIMARY KEY (id), 
	FOREIGN KEY(tender_id) REFERENCES tender (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE stage (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	pipeline_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	is_initial INTEGER NOT NULL, 
	is_terminal INTEGER NOT NULL, 
	outcome_type TEXT, 
	sort_points REAL NOT NULL, 
	show_in_kanban INTEGER NOT NULL, 
	description TEXT, 
	background_color TEXT, 
	text_color TEXT, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT stage_name_is_unique UNIQUE (pipeline_id, name), 
	CONSTRAINT initial_stage_is_open CHECK (NOT (is_initial AND is_terminal)), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(pipeline_id) REFERENCES pipeline (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE team_member (
	team_id TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	PRIMARY KEY (team_id, user_id), 
	FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE, 
	FOREIGN KEY(user_id) REFERENCES account_user (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE workflow_step (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	pipeline_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	position REAL NOT NULL, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(pipeline_id) REFERENCES pipeline (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE opportunity (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	pipeline_id TEXT NOT NULL, 
	stage_id TEXT NOT NULL, 
	tender_id TEXT, 
	name TEXT NOT NULL, 
	amount REAL, 
	prorated_amount REAL, 
	currency TEXT, 
	due_at INTEGER, 
	responsibles TEXT NOT NULL, 
	teams TEXT NOT NULL, 
	sort_points REAL NOT NULL, 
	closed_at INTEGER, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(pipeline_id) REFERENCES pipeline (id) ON DELETE CASCADE, 
	FOREIGN KEY(stage_id) REFERENCES stage (id) ON DELETE RESTRICT
)
 STRICT;
CREATE TABLE step_action (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	workflow_step_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	target_type TEXT NOT NULL, 
	position REAL NOT NULL, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(workflow_step_id) REFERENCES workflow_step (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE opportunity_history (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	opportunity_id TEXT NOT NULL, 
	from_stage_id TEXT, 
	to_stage_id TEXT NOT NULL, 
	actor_type TEXT NOT NULL, 
	actor_id TEXT, 
	at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(opportunity_id) REFERENCES opportunity (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE summary (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	opportunity_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	status TEXT NOT NULL, 
	result TEXT, 
	generated_at INTEGER, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT completed_summary_has_a_result CHECK (status <> 'completed' OR result IS NOT NULL), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(opportunity_id) REFERENCES opportunity (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE task (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	opportunity_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	description TEXT, 
	status TEXT NOT NULL, 
	priority TEXT NOT NULL, 
	user_ids TEXT NOT NULL, 
	deadline_at INTEGER, 
	created_by TEXT, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(opportunity_id) REFERENCES opportunity (id) ON DELETE CASCADE
)
 STRICT;
CREATE TABLE workflow_action (
	id TEXT NOT NULL, 
	account_id TEXT NOT NULL, 
	opportunity_id TEXT NOT NULL, 
	workflow_step_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	target_type TEXT NOT NULL, 
	target_id TEXT, 
	status TEXT NOT NULL, 
	position REAL NOT NULL, 
	completed_at INTEGER, 
	created_at INTEGER NOT NULL, 
	updated_at INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account_id) REFERENCES account (id) ON DELETE CASCADE, 
	FOREIGN KEY(opportunity_id) REFERENCES opportunity (id) ON DELETE CASCADE, 
	FOREIGN KEY(workflow_step_id) REFERENCES workflow_step (id) ON DELETE CASCADE
)
 STRICT;
CREATE VIRTUAL TABLE tender_fts USING fts5(
        title, description, facets, content='tender_text', content_rowid='rid', tokenize='ascii');
INSERT INTO tender_fts(tender_fts, rank) VALUES('hashsize', 67108864);
INSERT INTO account VALUES ('92e8b224-f7a2-432c-9ded-e7e8e5732299', 'local', 'Local workspace', NULL, 'local', 1773576000);
INSERT INTO import_file VALUES (1, '', 0, 1773576000000000, 1773576000000000, 3, 0, 3, 0, 0, 0, 0);
INSERT INTO notice_version VALUES ('5f8a6edb-e018-535b-9195-278c919daed1', 1768035600000000, X'AFDFA64F66D36E4CFB158A604F85EEC8', '20260110', 0, 1, 0, X'4E6ED99F77D0AAA070C81065A0CC7AC0');
INSERT INTO notice_version VALUES ('b3523282-8826-5091-88e9-ab0143e97acb', 1768035600000000, X'479318E40B4DE099CFC967A36FA0997A', '20260110', 0, 0, 0, X'3291DF86FBB228564826E4716CEB4E9F');
INSERT INTO notice_version VALUES ('b372cbb8-f186-5593-b48d-4159490a3608', 1768035600000000, X'EBDA7E2E3101AFE7B7DEEFDBE19CBC51', '20260110', 0, 0, 0, X'35B5A276EF63FC61CDD3E621AFF9FDE2');
INSERT INTO organization VALUES ('f80aa70e-0c8c-51fd-8316-c621cbbe5dbc', 'ayuntamiento-de-ejemplo-f80aa70e0c8c', 'Ayuntamiento de Ejemplo', 1768035600000000, 1, NULL, NULL, NULL, 'ES', 'Ejemplo', '08', NULL, NULL, 1768035600000000, NULL, NULL);
INSERT INTO organization VALUES ('638723fd-58dd-558f-950a-cbaf828f9f99', 'construcciones-ejemplo-s-l-638723fd58dd', 'Construcciones Ejemplo, S.L.', 1768035600000000, 0, 'B11111112', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO service_secret VALUES ('invented', X'0001736563726574', 1773576000);
INSERT INTO tender_text VALUES (3527674826146344667, 'obra 2', 'ayuntamiento de ejemplo ¦ lote uno ¦ lote dos nandu', 'st1 c45 c452 c4523 c45233 c452331 c4523312');
INSERT INTO tender_text VALUES (3527674827551945346, 'подмяна на прозорци αντικατασταση', 'ayuntamiento de ejemplo', 'st0');
INSERT INTO tender_text VALUES (3527674827554081720, 'obra 1', 'ayuntamiento de ejemplo', 'st0 c45 c452 c4523 c45233 c452331 c4523312');
INSERT INTO account_user VALUES ('fc5f3345-a3e3-41b6-820d-9163d2cd0f80', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'Ada Ejemplo', 'ada@example.org', 1773576000);
INSERT INTO alert VALUES ('l1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'Obras', NULL, '{"keywords":{"include":["obra"]}}', '[{"field":"expedientPublishedAt"}]', '{"hour":8}', '[{"id":"fc5f3345-a3e3-41b6-820d-9163d2cd0f80","receiveEmails":true}]', 1, 1, 0, 0, 'fc5f3345-a3e3-41b6-820d-9163d2cd0f80', NULL, NULL, 1773662400, 1773576000, 1773576000);
INSERT INTO api_key VALUES ('k1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'suite', '0000000000000000000000000000000000000000000000000000000000000000', '0000', 1, NULL, NULL, 1773576000, NULL, NULL, NULL);
INSERT INTO pipeline VALUES ('p1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'Ofertas', 1.0, 1773576000, 1773576000);
INSERT INTO team VALUES ('642d921f-7c76-454a-8fb1-18fcf240bf10', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'Ofertas', 1773576000);
INSERT INTO tender VALUES (3527674826146344667, '5f8a6edb-e018-535b-9195-278c919daed1', 1, 1768035600000000, 1768035600000000, NULL, 1769763600000000, NULL, 1768035600000000, 1000.0, 1000.0, 'f80aa70e-0c8c-51fd-8316-c621cbbe5dbc', '45', 'invented', 'https://example.org/notices/2', 1, NULL, 0, NULL, NULL, 1768035600000000, X'AFDFA64F66D36E4CFB158A604F85EEC8', 1773576000000000, 1773576000000000, '{"id":"5f8a6edb-e018-535b-9195-278c919daed1","slug":"obra-2-5f8a6edbe018","expedient":null,"name":"Obra 2","description":null,"status":"Adjudicada","sourceStatus":null,"contractType":null,"procedure":null,"cpvCodes":["45233120-6"],"location":null,"locations":[],"country":"ES","currency":"EUR","budgetNoTaxes":1000.0,"budgetWithTaxes":null,"contractEstimatedValue":null,"proratedBudget":1000.0,"awardAmount":550.0,"numLots":2,"lots":[{"id":"1","name":"Lote uno","description":null,"cpvCodes":[],"budgetNoTaxes":600.0,"awardAmount":null,"biddersNumber":3,"result":"Adjudicado"},{"id":"2","name":"Lote dos · ñandú","description":null,"cpvCodes":[],"budgetNoTaxes":400.0,"awardAmount":null,"biddersNumber":null,"result":null}],"contractingOrganizationId":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","contractingOrganization":{"id":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","name":"Ayuntamiento de Ejemplo","taxId":null},"successBidders":[{"id":"638723fd-58dd-558f-950a-cbaf828f9f99","name":"Construcciones Ejemplo, S.L.","taxId":"B11111112","amount":550.0,"lotId":"1"}],"biddersNumber":3,"expedientPublishedAt":"2026-01-10T09:00:00Z","expedientSubmissionDeadline":null,"expedientAdjudicationDate":"2026-01-30T09:00:00Z","expedientFormalizedAt":null,"expedientExpirationDate":null,"expedientExtendedExpirationDate":null,"expedientUpdatedAt":"2026-01-10T09:00:00Z","lastSignificantChangeAt":"2026-01-10T09:00:00Z","isMinorContract":false,"sources":[{"name":"invented","linkUrl":null}],"platformUrl":null,"createdAt":"2026-03-15T12:00:00Z","updatedAt":"2026-03-15T12:00:00Z"}');
INSERT INTO tender VALUES (3527674827551945346, 'b3523282-8826-5091-88e9-ab0143e97acb', 0, 1768035600000000, 1768035600000000, NULL, NULL, NULL, 1768035600000000, NULL, NULL, 'f80aa70e-0c8c-51fd-8316-c621cbbe5dbc', NULL, 'invented', 'https://example.org/notices/3', 0, NULL, 0, NULL, NULL, 1768035600000000, X'479318E40B4DE099CFC967A36FA0997A', 1773576000000000, 1773576000000000, '{"id":"b3523282-8826-5091-88e9-ab0143e97acb","slug":"подмяна-на-прозорци-αντικατασταση-b35232828826","expedient":null,"name":"Подмяна на прозорци · Αντικατάσταση","description":null,"status":"Publicada","sourceStatus":null,"contractType":null,"procedure":null,"cpvCodes":[],"location":null,"locations":[],"country":"ES","currency":"EUR","budgetNoTaxes":null,"budgetWithTaxes":null,"contractEstimatedValue":null,"proratedBudget":null,"awardAmount":null,"numLots":0,"lots":[],"contractingOrganizationId":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","contractingOrganization":{"id":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","name":"Ayuntamiento de Ejemplo","taxId":null},"successBidders":[],"biddersNumber":null,"expedientPublishedAt":"2026-01-10T09:00:00Z","expedientSubmissionDeadline":null,"expedientAdjudicationDate":null,"expedientFormalizedAt":null,"expedientExpirationDate":null,"expedientExtendedExpirationDate":null,"expedientUpdatedAt":"2026-01-10T09:00:00Z","lastSignificantChangeAt":"2026-01-10T09:00:00Z","isMinorContract":false,"sources":[{"name":"invented","linkUrl":null}],"platformUrl":null,"createdAt":"2026-03-15T12:00:00Z","updatedAt":"2026-03-15T12:00:00Z"}');
INSERT INTO tender VALUES (3527674827554081720, 'b372cbb8-f186-5593-b48d-4159490a3608', 0, 1768035600000000, 1768035600000000, 1775811600000000, NULL, NULL, 1768035600000000, 1000.0, 1000.0, 'f80aa70e-0c8c-51fd-8316-c621cbbe5dbc', '45', 'invented', 'https://example.org/notices/1', 0, 1768035600000000, 0, NULL, NULL, 1768035600000000, X'EBDA7E2E3101AFE7B7DEEFDBE19CBC51', 1773576000000000, 1773576000000000, '{"id":"b372cbb8-f186-5593-b48d-4159490a3608","slug":"obra-1-b372cbb8f186","expedient":null,"name":"Obra 1","description":null,"status":"Publicada","sourceStatus":null,"contractType":null,"procedure":null,"cpvCodes":["45233120-6"],"location":null,"locations":[],"country":"ES","currency":"EUR","budgetNoTaxes":1000.0,"budgetWithTaxes":null,"contractEstimatedValue":null,"proratedBudget":1000.0,"awardAmount":null,"numLots":0,"lots":[],"contractingOrganizationId":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","contractingOrganization":{"id":"f80aa70e-0c8c-51fd-8316-c621cbbe5dbc","name":"Ayuntamiento de Ejemplo","taxId":null},"successBidders":[],"biddersNumber":null,"expedientPublishedAt":"2026-01-10T09:00:00Z","expedientSubmissionDeadline":"2026-04-10T09:00:00Z","expedientAdjudicationDate":null,"expedientFormalizedAt":null,"expedientExpirationDate":null,"expedientExtendedExpirationDate":null,"expedientUpdatedAt":"2026-01-10T09:00:00Z","lastSignificantChangeAt":"2026-01-10T09:00:00Z","isMinorContract":false,"sources":[{"name":"invented","linkUrl":null}],"platformUrl":null,"createdAt":"2026-03-15T12:00:00Z","updatedAt":"2026-03-15T12:00:00Z"}');
INSERT INTO award VALUES ('5f8a6edb-e018-535b-9195-278c919daed1', 0, '1', '638723fd-58dd-558f-950a-cbaf828f9f99', NULL, 'Adjudicado', 550.0, NULL, 'EUR', 3, NULL, NULL, 1769763600000000, NULL, NULL, 2026, '45');
INSERT INTO document VALUES ('6312812e-be99-5e3d-b459-cc9e16d2e4d4', 'b372cbb8-f186-5593-b48d-4159490a3608', 0, 'Pliego (año).pdf', 'PCAP', NULL, NULL, 'https://example.org/d/1', NULL, NULL, NULL, NULL);
INSERT INTO stage VALUES ('s0', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'p1', 'New', 1, 0, NULL, 0.0, 1, NULL, NULL, NULL, 1773576000, 1773576000);
INSERT INTO stage VALUES ('s1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'p1', 'Won', 0, 1, 'won', 1.0, 1, NULL, NULL, NULL, 1773576000, 1773576000);
INSERT INTO team_member VALUES ('642d921f-7c76-454a-8fb1-18fcf240bf10', 'fc5f3345-a3e3-41b6-820d-9163d2cd0f80');
INSERT INTO workflow_step VALUES ('w1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'p1', 'Decide', 1.0, 1773576000, 1773576000);
INSERT INTO opportunity VALUES ('o1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'p1', 's0', '5f8a6edb-e018-535b-9195-278c919daed1', 'Obra', 900.0, NULL, 'EUR', 1773662400, '["fc5f3345-a3e3-41b6-820d-9163d2cd0f80"]', '[]', 1.5, NULL, 1773576000, 1773576000);
INSERT INTO opportunity_history VALUES ('h1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', NULL, 's0', 'user', 'fc5f3345-a3e3-41b6-820d-9163d2cd0f80', 1773576000);
INSERT INTO summary VALUES ('y0', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'Summary', 'pending', NULL, NULL, 1773576000, 1773576000);
INSERT INTO summary VALUES ('y1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'Summary', 'in_progress', NULL, NULL, 1773576000, 1773576000);
INSERT INTO summary VALUES ('y2', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'Summary', 'completed', '# Obra

| a | b |
|---|---|
| 1 | ñ |', 1773576000, 1773576000, 1773576000);
INSERT INTO summary VALUES ('y3', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'Summary', 'failed', NULL, NULL, 1773576000, 1773576000);
INSERT INTO task VALUES ('t1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'Llamar', NULL, 'to-do', 'high', '["fc5f3345-a3e3-41b6-820d-9163d2cd0f80"]', 1773579600, NULL, 1773576000, 1773576000);
INSERT INTO workflow_action VALUES ('a1', '92e8b224-f7a2-432c-9ded-e7e8e5732299', 'o1', 'w1', 'Read it', 'tender', '5f8a6edb-e018-535b-9195-278c919daed1', 'pending', 1.0, NULL, 1773576000, 1773576000);
CREATE INDEX user_of_account ON account_user (account_id, name);
CREATE INDEX alert_due ON alert (next_run_at);
CREATE INDEX alert_of_account ON alert (account_id, is_archived, updated_at);
CREATE INDEX key_of_account ON api_key (account_id);
CREATE INDEX tender_by_awarded ON tender (awarded);
CREATE INDEX tender_by_budget ON tender (budget);
CREATE INDEX tender_by_deadline ON tender (deadline);
CREATE INDEX tender_by_expires ON tender (expires);
CREATE INDEX tender_by_prorated_budget ON tender (prorated_budget);
CREATE INDEX tender_by_significant ON tender (significant);
CREATE INDEX tender_by_updated ON tender (updated);
CREATE INDEX tender_of_buyer ON tender (buyer_id) WHERE buyer_id IS NOT NULL;
CREATE INDEX workspace_history_of_row ON workspace_history (account_id, kind, row_id);
CREATE INDEX award_of_supplier ON award (supplier_id) WHERE supplier_id IS NOT NULL;
CREATE INDEX document_of_tender ON document (tender_id, position);
CREATE INDEX step_of_pipeline ON workflow_step (pipeline_id, position);
CREATE INDEX opportunity_of_account ON opportunity (account_id, pipeline_id);
CREATE INDEX opportunity_of_stage ON opportunity (stage_id, sort_points);
CREATE INDEX opportunity_of_tender ON opportunity (tender_id);
CREATE INDEX step_action_of_step ON step_action (workflow_step_id, position);
CREATE INDEX history_of_opportunity ON opportunity_history (opportunity_id, at);
CREATE INDEX summary_of_opportunity ON summary (opportunity_id);
CREATE INDEX task_of_opportunity ON task (opportunity_id, status);
CREATE INDEX action_of_opportunity ON workflow_action (opportunity_id);
CREATE TRIGGER opportunity_history_keeps_contents BEFORE UPDATE ON opportunity_history
        BEGIN SELECT RAISE(ABORT, 'history is never changed or deleted'); END;
CREATE TRIGGER opportunity_history_keeps_rows BEFORE DELETE ON opportunity_history
        BEGIN SELECT RAISE(ABORT, 'history is never changed or deleted'); END;
CREATE TRIGGER workspace_history_keeps_contents BEFORE UPDATE ON workspace_history
        BEGIN SELECT RAISE(ABORT, 'history is never changed or deleted'); END;
CREATE TRIGGER workspace_history_keeps_rows BEFORE DELETE ON workspace_history
        BEGIN SELECT RAISE(ABORT, 'history is never changed or deleted'); END;

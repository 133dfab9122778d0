"""Country codes: ISO 3166-1 alpha-2, which the interface's filters take, and alpha-3, which eForms notices carry."""

from __future__ import annotations

from functools import cache

# Each entry is an alpha-2 and its alpha-3 code: the 249 of ISO 3166-1, and Kosovo as the European Union writes it.
_COUNTRIES = """
    ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB
    BDBGD BEBEL BFBFA BGBGR BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR
    BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR
    CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ERERI ESESP ETETH FIFIN FJFJI FKFLK
    FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ GRGRC GSSGS
    GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN
    ISISL ITITA JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO
    LBLBN LCLCA LILIE LKLKA LRLBR LSLSO LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD
    MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER
    NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG PHPHL PKPAK PLPOL PMSPM
    PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP
    SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF
    TGTGO THTHA TJTJK TKTKL TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA UMUMI USUSA UYURY
    UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT WFWLF WSWSM YEYEM YTMYT ZAZAF ZMZMB ZWZWE XKXKX
"""

# The European Union's own codes, in NUTS and in older notices; 1A and 1A0 were Kosovo.
_EUROPEAN = {"EL": "GR", "UK": "GB", "1A": "XK", "1A0": "XK"}


def alpha2(code: str) -> str | None:
    """The ISO alpha-2 code, ``ES``, of an alpha-2 or alpha-3 code in either case; ``EL`` and ``UK`` count as well.

    ``None`` where no country has the code.
    """
    given = code.strip().upper()
    given = _EUROPEAN.get(given, given)
    return given if given in _alpha3() else _alpha2().get(given)


def alpha3(code: str) -> str | None:
    """The ISO alpha-3 code, ``ESP``, of whatever `alpha2` accepts."""
    short = alpha2(code)
    return None if short is None else _alpha3()[short]


@cache
def _alpha3() -> dict[str, str]:
    return {entry[:2]: entry[2:] for entry in _COUNTRIES.split()}


@cache
def _alpha2() -> dict[str, str]:
    return {long: short for short, long in _alpha3().items()}

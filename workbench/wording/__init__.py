"""What the faces share in showing text and figures. Pure functions that know no service and no widget."""

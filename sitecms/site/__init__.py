"""How content becomes HTML: plan every page, render what changed, write it whole."""

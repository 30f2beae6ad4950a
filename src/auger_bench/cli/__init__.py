"""`auger bench` and `auger figures`."""

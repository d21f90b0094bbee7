"""From a contingency table to candidate splits, and the choice between features. Pure functions of tables."""

"""The board as a web page: a static site that is a pure function of the submissions and docs/."""

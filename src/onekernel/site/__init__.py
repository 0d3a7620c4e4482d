"""The pages as a site: the same Markdown that stands in the repository, in each language, built with Zensical.

`pages` says which page becomes which address, `staging` writes Zensical's input (links led to the site's addresses,
anchors into headings), `build` runs it and looks at what came out, `serve` shows it on this machine.
"""

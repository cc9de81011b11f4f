# The manual as an HTML site: what Sphinx reads.  docs/site/build.sh builds it.
# Pages are the Markdown files of docs/, as they are; navigation is below.
import pathlib
import os.path
import posixpath
import re
import shutil
import subprocess

root = pathlib.Path(__file__).resolve().parents[2]

project = "warploom"
version = re.search(r"project\(warploom VERSION ([0-9.]+)",
                    (root / "CMakeLists.txt").read_text()).group(1)
release = version

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["site"]
myst_heading_anchors = 6  # names of headings as forges and docs.links have them

html_theme = "furo"  # light, dark, or as the reader's system is
html_title = f"warploom {version}"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
html_static_path = ["static"]
html_css_files = ["site.css"]

# The sidebar: groups, and their pages in order.  Pages of folders are below
# the README of each.
groups = [
    ("Tutorial", ["tutorial/README"]),
    ("Guides", ["machines", "workloads", "cuda", "cuda-libraries",
                "experiments", "sampling", "looking", "figures",
                "explain",
                "post-processing", "energy", "prototype-a-policy",
                "add-a-policy", "plug-ins", "recordings", "traces", "papers",
                "scripts"]),
    ("Concepts", ["concepts", "architecture", "scheduled", "deviations"]),
    ("Reference", ["reference", "results", "suite", "ptx-coverage"]),
    ("Policies", ["policies/README"]),
    ("Components", ["components/README"]),
    ("Validation", ["validation", "silicon", "paper-results", "testing",
                    "performance"]),
    ("Decisions", ["decisions/README"]),
]
folders = ["tutorial", "policies", "components", "decisions"]


def folder_of_figures(app):
    return pathlib.Path(app.doctreedir) / "figures"


def draw(app):
    """Figures whose data is kept (decision 0086) are drawn beside the site."""
    data, out = pathlib.Path(app.srcdir) / "validation", folder_of_figures(app)
    shutil.rmtree(out, ignore_errors=True)
    if not data.is_dir():
        return
    out.mkdir(parents=True)
    script = root / "tests/validate/figures.lua"
    if not shutil.which("lua5.4"):
        print("SKIPPED: figures are not drawn here: no lua5.4")
        return
    done = subprocess.run(["lua5.4", script, data, out], text=True,
                          stdout=subprocess.PIPE)
    if done.returncode == 77:  # nothing here draws
        print(done.stdout, end="")
    else:
        done.check_returncode()


def drawn(app, page, source):
    """The page shows what was drawn, or says that it was not."""
    out = folder_of_figures(app)
    there = os.path.relpath(out, app.srcdir)

    def image(found):
        if not (pathlib.Path(app.srcdir) / f"{found[2]}.csv").exists():
            return found[0]
        name = posixpath.basename(found[2])
        if (out / f"{name}.svg").exists():
            return f"![{found[1]}]({there}/{name}.svg)"
        return f"*{found[1]}: not drawn here.*"
    if page == "validation":
        source[0] = re.sub(r"!\[(.*?)\]\((validation/\w+)\.svg\)", image,
                           source[0])


def toctree(caption, pages, hidden=True):
    lines = ["", "```{toctree}", ":maxdepth: 1"]
    lines += [":hidden:"] if hidden else []
    lines += [f":caption: {caption}"] if caption else []
    return "\n".join(lines + [""] + pages + ["```", ""])


def navigation(app, page, source):
    """Forges know no toctree, so the pages have none: it is added here."""
    docs = pathlib.Path(app.srcdir)
    if page == "index":
        listed = {name for _, pages in groups for name in pages} | {"index"}
        # A page that no group names is seen: others (installing, ..) follow.
        rest = sorted(p.stem for p in docs.glob("*.md") if
                      p.stem not in listed)
        for caption, pages in groups:
            more = rest if caption == "Guides" else []
            source[0] += toctree(caption, pages + more)
    folder = page.partition("/")[0]
    if page == f"{folder}/README" and folder in folders:
        pages = sorted(p.stem for p in (docs / folder).glob("*.md")
                       if p.stem != "README")
        source[0] += toctree(None, pages, hidden=folder != "decisions")


trees = {}  # by the options that the theme asks with: without a current page


def sidebar(app, page, template, context, doctree):
    """Sphinx makes the tree of all pages anew for each page, which is two fifths of
    the site.  Here it makes one, and each page's is that with its own links."""
    theirs = context.get("toctree")

    def toctree(**options):
        key = str(sorted(options.items()))
        if key not in trees:
            if "/" in page:  # links from the root are wanted
                return theirs(**options)
            trees[key] = theirs(**options).replace(
                'class="current reference internal" href="#"',
                f'class="reference internal" href="{page}.html"').replace(
                '<ul class="current">', "<ul>").replace(' current">', '">')
        return placed(trees[key], page)
    if theirs:
        context["toctree"] = toctree


def placed(tree, page):
    """The tree, with links from a page, which is the current one."""
    own = tree.find(f'<a class="reference internal" href="{page}.html"')
    if own >= 0:
        # The page's item and list, and those that it is in.
        level = int(tree[:own].rpartition('"toctree-l')[2][0])
        for n in range(level, 0, -1):
            before, _, after = tree[:own].rpartition(f'"toctree-l{n}"')
            rest = tree[own:]
            head, _, tail = before.rpartition("<ul>")
            before = f'{head}<ul class="current">{tail}'
            tree = f'{before}"toctree-l{n} current"{after}{rest}'
            own = len(tree) - len(rest)
        tree = tree[:own] + tree[own:].replace(
            f'class="reference internal" href="{page}.html"',
            'class="current reference internal" href="#"', 1)
    folder = posixpath.dirname(page)
    return re.sub('href="([^"#:]+)"', lambda link: 'href="%s"' %
                  posixpath.relpath(link[1], folder or "."), tree)


def mend_furo(app, failed):
    """What Debian 12's Furo, which is put together from its sources in another
    way than by its authors, has wrong; nothing is done to one that is whole."""
    static = pathlib.Path(app.outdir) / "_static"
    script, style = static / "scripts/furo.js", static / "styles/furo.css"
    if failed or not script.exists():
        return
    # One script imports the other, which browsers refuse here: one of both.
    first, _, rest = script.read_text().partition("\n")
    if first.startswith("import Gumshoe"):
        library = script.with_name("gumshoe-patched.js").read_text()
        script.write_text(library + rest)
    # The colours of dark mode are there for the switch only, not for readers
    # whose system is dark.
    text = style.read_text()
    if "prefers-color-scheme" not in text:
        dark = re.search(r'body\[data-theme="dark"\] (\{[^}]*\})', text)[1]
        text += ("@media not print { @media (prefers-color-scheme: dark) {"
                 f' body:not([data-theme="light"]) {dark} }} }}\n')
    # A style sheet is taken from the server's root.
    there = re.match(r"@import url\((/javascript/[^)]*)\);", text)
    if there:
        other = pathlib.Path("/usr/share" + there[1])
        text = (other.read_text() if other.exists() else "") + \
            text[there.end():]
    style.write_text(text)


def setup(app):
    app.connect("builder-inited", draw)
    app.connect("env-get-outdated", lambda app, env, *_:
                ["validation"] if "validation" in env.found_docs else [])
    app.connect("source-read", drawn)
    app.connect("source-read", navigation)
    app.connect("html-page-context", sidebar, priority=400)  # the theme's: 500
    app.connect("build-finished", mend_furo)

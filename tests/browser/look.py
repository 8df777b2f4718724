"""Opens pages in a real browser and looks at them as readers would: light and dark, wide and as narrow as a phone.

    look.py CHROMIUM SHOTS PAGE...

Each page must open without an error, ask for nothing but itself, run no script, have links that lead somewhere, headings
in order, text that can be read against its ground, nothing wider than the window, and a first stop of the Tab key that
skips to the article. The screenshots go to the folder SHOTS and must show something."""

import base64
import os
import struct
import sys
import zlib

from devtools import Browser

SIZES = {"wide": (1200, 900), "phone": (390, 844)}

# What a page says of itself; `wrong` lists what it should not be.
EXAMINE = """(() => {
  const wrong = [];
  const all = (what) => [...document.querySelectorAll(what)];
  if (document.scripts.length) wrong.push('a script');
  if (!document.documentElement.lang) wrong.push('no language');
  if (all('h1').length !== 1) wrong.push(all('h1').length + ' h1');
  if (all('main').length !== 1) wrong.push(all('main').length + ' main');
  let level = 0;
  for (const h of all('h1, h2, h3, h4')) {
    const own = Number(h.tagName[1]);
    if (own > level + 1) wrong.push('a heading skips a level: ' + h.textContent);
    level = own;
  }
  for (const th of all('th')) if (!th.scope) wrong.push('a th without scope');
  for (const img of all('img')) if (!img.alt) wrong.push('a picture without words');
  for (const svg of all('svg')) {
    const named = (svg.getAttribute('aria-labelledby') || '').split(' ').every((id) => document.getElementById(id));
    if (svg.getAttribute('role') !== 'img' || !named) wrong.push('a picture without a title');
  }
  for (const a of all('a[href^="#"]')) {
    const id = decodeURIComponent(a.getAttribute('href').slice(1));
    if (!document.getElementById(id)) wrong.push('nothing at #' + id);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const over = all('body *').filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.table, .light, .dark'));
    wrong.push(wide + ' pixels wide: ' + over.slice(0, 3).map((e) => e.tagName + ' ' + e.textContent.slice(0, 60)).join(' | '));
  }
  for (const e of all('.table, .light, .dark')) if (e.tabIndex !== 0) wrong.push('a region that no key reaches');
  const rgb = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  for (const e of all('body *')) {
    if (e.closest('svg') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    if (!e.getClientRects().length) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color).slice(0, 3)), light(ground(e).slice(0, 3))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) { wrong.push('contrast ' + contrast.toFixed(1) + ' of ' + e.tagName + '.' + e.className); break; }
  }
  const files = all('a[href]').map((a) => a.getAttribute('href')).filter((h) => !h.startsWith('#'));
  return { wrong, files, title: document.title, ground: light(ground(document.body).slice(0, 3)) };
})()"""


def colours(png):
    """How many colours a screenshot has, counted over every 37th pixel."""
    at, data, width, depth = 8, b"", 0, 3
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at:at + 4]), png[at + 4:at + 8]
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, depth = struct.unpack(">I", body[:4])[0], {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    raw, line = zlib.decompress(data), 1 + width * depth
    # Rows are stored as differences; what is counted is whether they differ at all.
    return len({raw[i:i + depth] for i in range(1, len(raw), 37 * depth) if i % line})


def look(browser, page, size, theme, shots):
    """Faults of one page in one size and theme."""
    width, height = SIZES[size]
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    tab = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.events.clear()
    for domain in ["Page", "Runtime", "Log", "Network"]:
        browser.call(domain + ".enable", tab)
    browser.call("Emulation.setDeviceMetricsOverride", tab, width=width, height=height, deviceScaleFactor=1,
                 mobile=size == "phone")
    browser.call("Emulation.setEmulatedMedia", tab, features=[{"name": "prefers-color-scheme", "value": theme}])
    url = "file://" + os.path.abspath(page)
    browser.call("Page.navigate", tab, url=url)
    browser.wait_for("Page.loadEventFired", tab)
    value = browser.call("Runtime.evaluate", tab, expression=EXAMINE, returnByValue=True)
    if "exceptionDetails" in value:
        return [str(value["exceptionDetails"])]
    seen = value["result"]["value"]
    faults = seen["wrong"]
    faults += [f"a link to {f}" for f in seen["files"] if not os.path.isfile(os.path.join(os.path.dirname(page), f))]
    if not seen["title"].strip():
        faults.append("no title")
    if (seen["ground"] > 0.5) != (theme == "light"):
        faults.append("the ground is not " + theme)
    if "id=\"evidence\"" in open(page, encoding="utf-8").read():
        for kind in ["keyDown", "keyUp"]:
            browser.call("Input.dispatchKeyEvent", tab, type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        first = browser.call("Runtime.evaluate", tab, expression="document.activeElement.className")
        if first["result"]["value"] != "skip":
            faults.append("the first stop of the Tab key is " + first["result"]["value"])
    shot = browser.call("Page.captureScreenshot", tab, format="png", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": width, "height": 3000, "scale": 1})
    png = base64.b64decode(shot["data"])
    name = os.path.abspath(page).removesuffix(".html").replace(os.sep, "-").strip("-").split("pages-")[-1]
    with open(os.path.join(shots, f"{name}-{size}-{theme}.png"), "wb") as file:
        file.write(png)
    if colours(png) < 20:
        faults.append("the screenshot is blank")
    for event in browser.events:
        method, told = event.get("method", ""), event.get("params", {})
        if method == "Network.requestWillBeSent" and told["request"]["url"] != url:
            if not told["request"]["url"].startswith("data:"):
                faults.append("asks for " + told["request"]["url"])
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            faults.append(f"{method}: {told}")
        if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            faults.append("console: " + told["entry"]["text"])
    browser.call("Target.closeTarget", targetId=target)
    return faults


def main():
    program, shots, pages = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(shots, exist_ok=True)
    count = 0
    with Browser(program) as browser:
        for page in pages:
            for size in SIZES:
                for theme in ["light", "dark"]:
                    for fault in look(browser, page, size, theme, shots):
                        count += 1
                        print(f"{page}, {size}, {theme}: {fault}")
    print(f"   {len(pages)} pages, {4 * len(pages)} views, {count} faults")
    sys.exit(1 if count else 0)


main()

"""Contrast of what is drawn, computed from the rendered page as WCAG 2 does it."""

from __future__ import annotations

from playwright.sync_api import Page

TEXT, LINE = 4.5, 3.0
"""Least contrast of text, and of the lines of a chart, to what lies behind."""

_POOR = """([leastText, leastLine]) => {
    const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
    const brush = canvas.getContext('2d', {willReadFrequently: true});
    const read = colour => {
        brush.clearRect(0, 0, 1, 1);
        brush.fillStyle = colour;
        brush.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (top, share, under) => under.map((below, i) => top[i] * share + below * (1 - share));
    const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const contrast = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const ground = element => {
        const grounds = [], here = element.getBoundingClientRect();
        const [x, y] = [here.x + here.width / 2, here.y + here.height / 2];
        for (let at = element; at; at = at.parentElement) {
            // What stands beside its parent, as the value over a slider's handle does, is not on its ground.
            const its = at.getBoundingClientRect();
            const outside = x < its.left || x > its.right || y < its.top || y > its.bottom;
            if (outside && its.height < 40) continue;
            const colour = read(getComputedStyle(at).backgroundColor);
            grounds.push(colour);
            if (colour[3] >= 0.999) break;
        }
        return grounds.reverse().reduce((under, top) => over(top, top[3], under), [255, 255, 255]);
    };
    const opacity = element => {
        let all = 1;
        for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
        return all;
    };
    const inactive = element => element.closest(
        ':disabled, [aria-disabled="true"], [data-disabled], [data-testid="stIconMaterial"]');
    const found = {};
    let looked = 0;
    const judge = (element, colour, share, least, words) => {
        const behind = ground(element);
        const [r, g, b, a] = read(colour);
        const ratio = contrast(over([r, g, b], a * share * opacity(element), behind), behind);
        looked += 1;
        if (ratio < least) found[`${ratio.toFixed(2)}: ${colour}, opacity ${opacity(element).toFixed(2)}`] = words;
    };
    const parts = '[data-testid="stMain"], [data-testid="stSidebar"]';
    for (const part of document.querySelectorAll(parts)) {
        const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const element = walker.currentNode.parentElement, words = walker.currentNode.textContent.trim();
            // On a map of classes texts lie on coloured regions, which are no elements around them.
            if (element.closest('[data-testid="stPlotlyChart"]')) continue;
            if (!words || !element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
            if (inactive(element) && !element.closest('svg') || element.closest('style, script')) continue;
            const look = getComputedStyle(element), drawn = element.closest('svg') !== null;
            const share = drawn ? Number(look.fillOpacity) : 1;
            judge(element, drawn ? look.fill : look.color, share, leastText, words.slice(0, 40));
        }
        for (const mark of part.querySelectorAll('svg :is(.mark-line, .mark-rule) :is(path, line)')) {
            const look = getComputedStyle(mark);
            if (mark.closest('.role-axis-grid, .role-axis-domain, .role-axis-tick') || look.stroke === 'none') continue;
            const name = mark.closest('[data-testid="stVegaLiteChart"]')?.getAttribute('aria-label') ?? '';
            judge(mark, look.stroke, Number(look.strokeOpacity), leastLine, `line in ${name.slice(0, 40)}`);
        }
    }
    return {looked, poor: Object.entries(found).map(([measured, words]) => `${words}: ${measured}`)};
}"""


def poor(page: Page) -> tuple[int, list[str]]:
    """How many texts and lines are in the page, and those whose contrast is too low, an example of each colour."""
    found = page.evaluate(_POOR, [TEXT, LINE])
    return int(found["looked"]), list(found["poor"])

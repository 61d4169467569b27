// Loads a report in headless Chromium through ChromeDriver, light and dark, wide and narrow.
//   node report.mjs FILE [SCREENSHOT-DIRECTORY]
// Standard library only. Ends with 1 and a line for each fault.
import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const FIGURES = [
  'size-get-throughput', 'size-get-chain', 'size-add-exclusive', 'size-add-published',
  'pauses-exclusive', 'pauses-published', 'moved', 'balance', 'ring-before', 'ring-after',
];
const SIZES = { wide: [1400, 1000], narrow: [390, 844] };

const [file, shots] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;
const profile = mkdtempSync(join(tmpdir(), 'report-profile-'));
const faults = [];
const driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });

const port = await new Promise((done, failed) => {
  let said = '';
  driver.stdout.on('data', (data) => {
    said += data;
    const match = said.match(/successfully on port (\d+)/);
    if (match) done(match[1]);
  });
  driver.on('exit', () => failed(new Error(`chromedriver ended: ${said}`)));
});

async function call(method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const { value } = await answer.json();
  if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
  return value;
}

try {
  const { sessionId } = await call('POST', '/session', {
    capabilities: { alwaysMatch: {
      'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
      'goog:chromeOptions': { args: [
        '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-device-scale-factor=1',
        `--user-data-dir=${profile}`,
      ] },
    } },
  });
  const at = `/session/${sessionId}`;
  const cdp = (cmd, params) => call('POST', `${at}/goog/cdp/execute`, { cmd, params });
  const run = (script) => call('POST', `${at}/execute/sync`, { script, args: [] });
  for (const scheme of ['light', 'dark']) {
    for (const [name, [width, height]] of Object.entries(SIZES)) {
      const here = `${scheme}, ${name}`;
      await cdp('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await cdp('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: name === 'narrow' });
      await call('POST', `${at}/url`, { url });
      const found = await run(`return {
        figures: [...document.querySelectorAll('figure')].map((f) => ({
          id: f.id, title: !!f.querySelector('svg > title'), caption: f.querySelector('figcaption').textContent.trim().length,
          width: f.querySelector('svg').getBoundingClientRect().width, height: f.querySelector('svg').getBoundingClientRect().height,
          marks: f.querySelectorAll('svg path, svg polyline, svg rect, svg circle, svg line').length,
          clipped: [...f.querySelectorAll('svg text')].filter((t) => {
            const box = t.getBoundingClientRect(), all = f.querySelector('svg').getBoundingClientRect();
            return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1;
          }).map((t) => t.textContent),
          text: Math.min(...[...f.querySelectorAll('svg text')].map((t) => t.getBoundingClientRect().height)),
        })),
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        scripts: document.scripts.length, tables: document.querySelectorAll('table').length,
        paper: getComputedStyle(document.body).backgroundColor, height: document.documentElement.scrollHeight,
        links: [...document.querySelectorAll('[src], link[href]')].map((e) => e.src || e.href).filter((l) => !l.startsWith('data:')),
      }`);
      const ids = new Set(found.figures.map((f) => f.id));
      for (const id of FIGURES) if (!ids.has(id)) faults.push(`${here}: the figure ${id} is missing`);
      if (![...ids].some((id) => id.startsWith('use-'))) faults.push(`${here}: no figure of cost against use`);
      for (const f of found.figures) {
        if (f.width < 200 || f.height < 100) faults.push(`${here}: ${f.id} is ${f.width} by ${f.height}`);
        if (f.marks < 5) faults.push(`${here}: ${f.id} is empty`);
        if (!f.title || f.caption < 10) faults.push(`${here}: ${f.id} has no title or caption`);
        if (f.clipped.length) faults.push(`${here}: ${f.id} cuts off ${JSON.stringify(f.clipped)}`);
        if (f.text < 8) faults.push(`${here}: ${f.id} has text ${f.text} pixels high`);
      }
      if (found.overflow > 0) faults.push(`${here}: the page is ${found.overflow} pixels wider than the window`);
      if (found.scripts > 0) faults.push(`${here}: the page has ${found.scripts} scripts`);
      if (found.tables < 5) faults.push(`${here}: the page has ${found.tables} tables`);
      if (found.links.length) faults.push(`${here}: the page refers to ${found.links}`);
      const dark = found.paper.match(/\d+/g).slice(0, 3).every((part) => part < 60);
      if (dark !== (scheme === 'dark')) faults.push(`${here}: the paper is ${found.paper}`);
      if (shots) {
        mkdirSync(shots, { recursive: true });
        const { data } = await cdp('Page.captureScreenshot', {
          format: 'png', captureBeyondViewport: true, clip: { x: 0, y: 0, width, height: Math.min(found.height, 7000), scale: 1 },
        });
        writeFileSync(join(shots, `${scheme}-${name}.png`), Buffer.from(data, 'base64'));
      }
    }
  }
  for (const entry of await call('POST', `${at}/se/log`, { type: 'browser' })) {
    faults.push(`console: ${entry.level}: ${entry.message}`);
  }
  for (const entry of await call('POST', `${at}/se/log`, { type: 'performance' })) {
    const { message } = JSON.parse(entry.message);
    if (message.method !== 'Network.requestWillBeSent') continue;
    const asked = message.params.request.url;
    // The browser's own first page asks for things of its own.
    if (message.params.documentURL.startsWith('chrome:')) continue;
    if (asked !== url && !asked.startsWith('data:')) faults.push(`network: ${asked}`);
  }
  await call('DELETE', at);
} finally {
  driver.kill();
  rmSync(profile, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
console.log(faults.length ? `${faults.length} faults` : `${file}: all figures, light and dark, wide and narrow; no console message, no request`);
process.exit(faults.length ? 1 : 0);

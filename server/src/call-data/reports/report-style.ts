import { html } from '../../lib/html.ts'

/** Styles of a report, in the colors of the reader's system, and black on white on paper. */
export const reportStyle = html`<style>
  :root {
    color-scheme: light dark;
    --text: light-dark(#1c2024, #e8eaed);
    --muted: light-dark(#5a6168, #a3abb3);
    --line: light-dark(#d5dade, #3a4148);
    --bad: light-dark(#b3261e, #ff8a80);
    --warn: light-dark(#8a5300, #ffb74d);
  }
  body {
    max-width: 1100px;
    margin: 0 auto;
    padding: 24px 16px;
    color: var(--text);
    font: 14px/20px system-ui, sans-serif;
    background: light-dark(#fff, #16191c);
  }
  h1 { font-size: 20px; line-height: 28px; }
  h2 { margin-top: 32px; font-size: 16px; line-height: 24px; }
  h3 { margin: 24px 0 0; font-size: 14px; }
  a { color: inherit; }
  dl { display: grid; gap: 4px 24px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
  dl div { display: flex; gap: 8px; }
  dt { flex: 0 0 130px; color: var(--muted); }
  dd { min-width: 0; margin: 0; overflow-wrap: anywhere; }
  p, li { overflow-wrap: anywhere; }
  .verdict { padding-left: 12px; border-left: 4px solid var(--line); }
  .verdict.bad { border-color: var(--bad); }
  .verdict.warn { border-color: var(--warn); }
  .judged { font-size: 16px; font-weight: 600; line-height: 24px; }
  .side { padding: 0 6px; border: 1px solid var(--line); border-radius: 4px; font-size: 12px; font-weight: 400; }
  .note { color: var(--muted); font-size: 12px; }
  .findings .bad strong { color: var(--bad); }
  .findings .warn strong { color: var(--warn); }
  .ladder { overflow-x: auto; }
  svg text { fill: currentColor; font-size: 12px; text-anchor: middle; }
  svg .name { font-weight: 600; }
  svg .host, svg .time { fill: var(--muted); font-family: ui-monospace, monospace; }
  svg .time { text-anchor: start; }
  svg .lane { stroke: var(--line); }
  svg .arrow { stroke: currentColor; stroke-width: 1.5; }
  svg .head { fill: currentColor; }
  pre { padding: 8px 12px; border: 1px solid var(--line); font: 12px/18px ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
  .message { break-inside: avoid-page; }
  @media print {
    :root { color-scheme: light; }
    body { padding: 0; }
    .ladder svg { max-width: 100%; height: auto; }
  }
</style>`

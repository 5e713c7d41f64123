/** Styles and script of the API documentation page. The colors are those of the console. */

export const docsStyle = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f8f8, #0c1113);
  --surface: light-dark(#ffffff, #12191c);
  --sunken: light-dark(#eef2f2, #0a0f11);
  --hover: light-dark(#f1f5f5, #182226);
  --text: light-dark(#111a1d, #e3eaec);
  --muted: light-dark(#4b5a60, #a2b1b7);
  --line: light-dark(#dbe2e4, #253136);
  --control-line: light-dark(#7c8b91, #62737b);
  --accent: light-dark(#0b6675, #56c4d2);
  --on-accent: light-dark(#ffffff, #04181c);
  --good: light-dark(#1a6e3c, #5cc98a);
  --warn: light-dark(#8a5200, #e8b04a);
  --danger: light-dark(#b3261e, #ff8a80);
  --mono: "JetBrains Mono Variable", ui-monospace, "SFMono-Regular", monospace;
}
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
html { scroll-padding-top: 4rem; text-size-adjust: 100%; scrollbar-gutter: stable; }
body { background: var(--ground); color: var(--text); font: 0.875rem / 1.5 "Inter Variable", system-ui, sans-serif; }
a { color: var(--accent); text-decoration: none; text-underline-offset: 0.2em; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
code { font-family: var(--mono); font-size: 0.93em; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; letter-spacing: -0.011em; }
h1 { font-size: 1.25rem; }
h2 { margin: 2rem 0 0.75rem; font-size: 0.9375rem; }
h3 { margin: 1.25rem 0 0.375rem; color: var(--muted); font-size: 0.75rem; font-weight: 600; letter-spacing: 0; }
h3:first-child { margin-top: 0; }
.skip { position: absolute; z-index: 2; top: -4rem; left: 1rem; padding: 0.5rem 0.875rem; border-radius: 6px; background: var(--accent); color: var(--on-accent); }
.skip:focus { top: 0.75rem; }
header { position: sticky; z-index: 1; top: 0; display: flex; justify-content: space-between; padding: 0.875rem 2rem; border-bottom: 1px solid var(--line); background: var(--surface); }
header a:first-child { color: var(--text); font-weight: 650; }
.columns { display: grid; grid-template-columns: 232px minmax(0, 60rem); }
nav { position: sticky; top: 3.2rem; align-self: start; max-height: calc(100dvh - 3.2rem); padding: 1.5rem 1rem; overflow-y: auto; }
nav ul { padding: 0; list-style: none; }
nav a { display: block; padding: 0.3125rem 1rem; border-radius: 6px; color: var(--muted); }
nav a:hover { background: var(--hover); color: var(--text); text-decoration: none; }
main { padding: 1.625rem 2rem 4rem 1rem; }
h1 + p { max-width: 44rem; margin-top: 0.5rem; color: var(--muted); }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 1.25rem; }
form label { font-weight: 550; }
input, button { height: 2rem; padding: 0 0.625rem; border: 1px solid var(--control-line); border-radius: 6px; background: var(--surface); color: inherit; font: inherit; }
input { flex: 1; min-width: 8rem; max-width: 24rem; }
input::placeholder { color: var(--muted); opacity: 1; }
button { cursor: pointer; font-weight: 550; }
button:hover { background: var(--hover); }
output { color: var(--muted); }
details { border: 1px solid var(--line); background: var(--surface); }
details + details { border-top: 0; }
h2 + details { border-radius: 10px 10px 0 0; }
details:last-child { border-radius: 0 0 10px 10px; }
h2 + details:last-child { border-radius: 10px; }
summary { display: grid; grid-template-columns: 3.75rem minmax(0, 1fr) minmax(0, 1fr) 0.75rem; gap: 0.75rem; align-items: baseline; padding: 0.5625rem 1rem; border-radius: inherit; cursor: pointer; list-style: none; overflow-wrap: anywhere; }
summary::-webkit-details-marker { display: none; }
summary::after { grid-column: -2; grid-row: 1; color: var(--muted); content: "›"; justify-self: center; }
details[open] > summary::after { transform: rotate(90deg); }
summary:hover { background: var(--hover); }
details[open] > summary { border-bottom: 1px solid var(--line); }
.method { font: 600 0.75rem / 1.5 var(--mono); }
.get { color: var(--accent); }
.post { color: var(--good); }
.put { color: var(--warn); }
.delete { color: var(--danger); }
.what { color: var(--muted); }
details > div { padding: 1rem 1rem 1.25rem 5.5rem; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.3125rem 1rem 0.3125rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: baseline; font-weight: 400; }
thead th { color: var(--muted); font-size: 0.75rem; }
pre { margin-top: 0.25rem; padding: 0.75rem 1rem; border-radius: 6px; background: var(--sunken); line-height: 1.55; white-space: pre-wrap; }
@media (width < 800px) {
  .columns { display: block; }
  header, main { padding-inline: 1rem; }
  nav { display: none; }
  summary { grid-template-columns: 3.25rem minmax(0, 1fr) 0.75rem; }
  .what { grid-column: 2; }
  details > div { padding-inline: 1rem; }
}
@media (pointer: coarse) {
  input, button { height: 2.625rem; font-size: 1rem; }
}
`

export const docsScript = `const search = document.getElementById('search')
const openAll = document.querySelector('form button')
const shown = document.querySelector('output')
const sections = [...document.querySelectorAll('section')]
const entries = [...document.querySelectorAll('details')].map((entry) => [entry, entry.textContent.toLowerCase()])

const filter = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let count = 0
  for (const [entry, text] of entries) {
    entry.hidden = !words.every((word) => text.includes(word))
    if (!entry.hidden) count += 1
  }
  for (const section of sections) section.hidden = !section.querySelector('details:not([hidden])')
  shown.textContent = words.length === 0 ? '' : count + ' of ' + entries.length
}

const openNamed = () => {
  const named = document.getElementById(location.hash.slice(1))
  if (named?.tagName === 'DETAILS') named.open = true
}

search.form.hidden = false
search.form.addEventListener('submit', (event) => event.preventDefault())
search.addEventListener('input', filter)
openAll.addEventListener('click', () => {
  const open = openAll.getAttribute('aria-pressed') === 'false'
  for (const [entry] of entries) entry.open = open
  openAll.setAttribute('aria-pressed', String(open))
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === search) return
  event.preventDefault()
  search.focus()
})
window.addEventListener('hashchange', openNamed)
openNamed()
`

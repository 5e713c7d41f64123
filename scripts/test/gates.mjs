// The gates: everything that a change has to pass, by tier, and in which order.

/** The tiers: `npm test`, `npm run test:merge`, and `npm run test:release`. */
export const tiers = ['test', 'merge', 'release']

/** The programs that the tests of the first two tiers need, by their keys in `programs`. */
export const testPrograms = [
  'chromium',
  'mariadb',
  'redis',
  'influxdb',
  'sipp',
  'sqlite',
  'tshark',
  'nginx',
  'prometheus',
  'promtool',
  'age',
  'kamailio',
  'rtpengine',
]

/**
 * The browser tests of `npm test`, by their titles: those of requirements, the accessibility of every screen, and the path
 * from the first sign-in to a call. The tier `merge` runs the others.
 */
export const mainBrowserTests = String.raw`\b[A-Z]{2,}-\d{2,}\b|accessibility finding|leads from the first sign-in`

/** The tests that check every screen in several layouts. The tier `merge` checks those that `npm test` leaves out. */
const layoutTests = ['e2e/accessibility.e2e.ts', 'e2e/gallery.e2e.ts', '--grep', 'accessibility finding']

/**
 * Steps run one after another. The gates of a step run concurrently and print their output when they end. A gate without
 * a tier prepares the others, in every tier.
 *
 * - `needs`: gates without which this one cannot run. It runs after any other failure.
 * - `project`: the project of Vitest that it runs
 * - `isBrowser`: it runs browser tests
 * - `program`: the program without which it has no tests to run, by its key in `programs`
 * - `tool`: the arguments of `scripts/run.mjs`
 * - `script`: the npm script that it runs, if it has another name
 * - `env`: variables for its tests
 * - `args`: more arguments for Vitest or Playwright
 */
export const steps = [
  [{ gate: 'install' }],
  [
    { gate: 'types', tier: 'test' },
    { gate: 'lint', tier: 'test' },
    { gate: 'regexps', tier: 'test' },
    { gate: 'format', tier: 'test' },
    { gate: 'dead-code', tier: 'test' },
  ],
  [{ gate: 'programs' }],
  [{ gate: 'rules', tier: 'test', project: 'rules' }],
  [{ gate: 'sqlite', tier: 'test', project: 'sqlite' }],
  [{ gate: 'mariadb', tier: 'test', project: 'mariadb', program: 'mariadb' }],
  [{ gate: 'build' }],
  [{ gate: 'size', tier: 'test', needs: ['build'] }],
  [
    {
      gate: 'e2e',
      tier: 'test',
      needs: ['build'],
      isBrowser: true,
      program: 'chromium',
      args: ['--grep', mainBrowserTests],
    },
  ],
  [{ gate: 'mariadb-rest', tier: 'merge', project: 'mariadb-rest', program: 'mariadb' }],
  [{ gate: 'full', tier: 'merge', project: 'full' }],
  [{ gate: 'built', tier: 'merge', needs: ['build'], project: 'built', program: 'mariadb' }],
  [
    {
      gate: 'e2e-rest',
      tier: 'merge',
      needs: ['build'],
      isBrowser: true,
      program: 'chromium',
      args: ['--grep-invert', mainBrowserTests],
    },
  ],
  [
    {
      gate: 'layouts',
      tier: 'merge',
      needs: ['build'],
      isBrowser: true,
      program: 'chromium',
      env: { TEST_TIER: 'merge' },
      args: layoutTests,
    },
  ],
  [{ gate: 'visual', tier: 'merge', needs: ['build'], program: 'chromium' }],
  [{ gate: 'release', tier: 'release', needs: ['build'], script: 'test:release' }],
]

/**
 * Returns the steps of some tiers, reduced to some gates. Throws a readable message for unknown names.
 *
 * @param {{tier?: string, only?: string, from?: string, shard?: string}} options names of tiers and gates, separated by
 *   commas, and the part of the tests that is run, such as `1/4`
 */
export function selectSteps({ tier, only, from, shard }) {
  const allNames = steps.flat().map(({ gate }) => gate)
  const wantedTiers = splitNames(tier) ?? (only === undefined ? ['test'] : tiers)
  const wantedGates = splitNames(only) ?? allNames
  expectKnown('tier', wantedTiers, tiers)
  expectKnown('gate', [...wantedGates, from ?? allNames[0]], allNames)
  const start = from === undefined ? 0 : allNames.indexOf(from)
  const isSelected = ({ gate, tier: own }) =>
    (own === undefined || wantedTiers.includes(own)) && wantedGates.includes(gate) && allNames.indexOf(gate) >= start
  const selected = steps.map((step) => step.filter(isSelected)).filter((step) => step.length > 0)
  return shard === undefined ? selected : selected.map((step) => step.map((gate) => toShard(gate, shard)))
}

const toShard = (gate, shard) => (hasTests(gate) ? { ...gate, args: [...(gate.args ?? []), `--shard=${shard}`] } : gate)

/** Returns whether Vitest or Playwright runs the gate. */
export const hasTests = ({ project, isBrowser }) => project !== undefined || isBrowser === true

const splitNames = (names) => names?.split(',')

function expectKnown(kind, names, validNames) {
  const unknown = names.find((name) => !validNames.includes(name))
  if (unknown !== undefined)
    throw new Error(`There is no ${kind} "${unknown}". The ${kind}s are: ${validNames.join(', ')}.`)
}

/** Returns the gate that has failed or was not run, and without which this one cannot run. */
export const findBlocker = ({ needs = [] }, results) =>
  results.find(({ gate, passed }) => !passed && (gate === 'install' || needs.includes(gate)))?.gate

/** Returns the command of a gate: the arguments of `scripts/run.mjs`, or the name of an npm script. */
export function toCommand({ gate, project, isBrowser, tool, script = gate, args = [] }) {
  if (tool !== undefined) return { tool }
  if (isBrowser) return { tool: ['playwright', 'test', '-c', 'e2e/playwright.config.ts', ...args] }
  return project === undefined ? { script } : { tool: ['vitest', 'run', '--project', project, ...args] }
}

const nameWidth = Math.max(...steps.flat().map(({ gate }) => gate.length))

/** Returns the final table with the result of each selected gate. */
export function summary(selected, results) {
  return selected.flat().map(({ gate }) => {
    const { passed, seconds, note } = results.find((result) => result.gate === gate) ?? {}
    const outcome =
      seconds === undefined ? 'not run' : `${passed ? 'passed ' : 'FAILED '} ${seconds.toFixed(1).padStart(7)} s`
    return [`  ${gate.padEnd(nameWidth)} ${outcome}`, ...(note ? [note] : [])].join('  ')
  })
}

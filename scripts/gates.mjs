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
]

/** Projects of Vitest that start MariaDB before their tests. */
const mariaDbProjects = new Set(['mariadb', 'mariadb-rest', 'built'])

/** The tests that check every screen in several layouts. The tier `merge` checks those that `npm test` leaves out. */
const layoutTests = ['e2e/accessibility.e2e.ts', 'e2e/gallery.e2e.ts', '--grep', 'accessibility finding']

/**
 * Steps run one after another. The gates of a step run concurrently and print their output when they end. A gate without
 * a tier prepares the others, in every tier.
 *
 * - `needs`: gates without which this one cannot run. It runs after any other failure.
 * - `projects`: the projects of Vitest that it runs
 * - `isBrowser`: it runs browser tests
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
  [{ gate: 'unit', tier: 'test', projects: ['rules', 'sqlite', 'mariadb'] }],
  [{ gate: 'build' }],
  [{ gate: 'size', tier: 'test', needs: ['build'] }],
  [{ gate: 'e2e', tier: 'test', needs: ['build'], isBrowser: true }],
  [{ gate: 'mariadb', tier: 'merge', projects: ['mariadb-rest'] }],
  [{ gate: 'full', tier: 'merge', projects: ['full'] }],
  [{ gate: 'built', tier: 'merge', needs: ['build'], projects: ['built'] }],
  [
    {
      gate: 'layouts',
      tier: 'merge',
      needs: ['build'],
      isBrowser: true,
      env: { TEST_TIER: 'merge' },
      args: layoutTests,
    },
  ],
  [{ gate: 'release', tier: 'release', needs: ['build'], script: 'test:release' }],
]

/**
 * Returns the steps of some tiers, reduced to some gates. Throws a readable message for unknown names.
 *
 * @param {{tier?: string, only?: string, from?: string}} options names of tiers and gates, separated by commas
 */
export function selectSteps({ tier, only, from }) {
  const allNames = steps.flat().map(({ gate }) => gate)
  const wantedTiers = splitNames(tier) ?? (only === undefined ? ['test'] : tiers)
  const wantedGates = splitNames(only) ?? allNames
  expectKnown('tier', wantedTiers, tiers)
  expectKnown('gate', [...wantedGates, from ?? allNames[0]], allNames)
  const start = from === undefined ? 0 : allNames.indexOf(from)
  const isSelected = ({ gate, tier: own }) =>
    (own === undefined || wantedTiers.includes(own)) && wantedGates.includes(gate) && allNames.indexOf(gate) >= start
  return steps.map((step) => step.filter(isSelected)).filter((step) => step.length > 0)
}

const splitNames = (names) => names?.split(',')

function expectKnown(kind, names, validNames) {
  const unknown = names.find((name) => !validNames.includes(name))
  if (unknown !== undefined)
    throw new Error(`There is no ${kind} "${unknown}". The ${kind}s are: ${validNames.join(', ')}.`)
}

/** Returns the gate that has failed or was not run, and without which this one cannot run. */
export const findBlocker = ({ needs = [] }, results) =>
  results.find(({ gate, passed }) => !passed && (gate === 'install' || needs.includes(gate)))?.gate

/** Returns the programs without which a gate has no tests to run, by their keys. */
export function requiredPrograms({ projects = [], isBrowser }) {
  if (isBrowser) return ['chromium']
  return projects.length > 0 && projects.every((name) => mariaDbProjects.has(name)) ? ['mariadb'] : []
}

/**
 * Returns the command of a gate: the arguments of `scripts/run.mjs`, or the name of an npm script.
 *
 * @param {string[]} missing programs, by their keys
 */
export function toCommand({ gate, projects, isBrowser, tool, script = gate, args = [] }, missing = []) {
  if (tool !== undefined) return { tool }
  if (isBrowser) return { tool: ['playwright', 'test', '-c', 'e2e/playwright.config.ts', ...args] }
  if (projects === undefined) return { script }
  const runnable = projects.filter((name) => !missing.includes('mariadb') || !mariaDbProjects.has(name))
  return { tool: ['vitest', 'run', ...runnable.flatMap((name) => ['--project', name]), ...args] }
}

/** Returns the final table with the result of each selected gate. */
export function summary(selected, results) {
  return selected.flat().map(({ gate }) => {
    const { passed, seconds, note } = results.find((result) => result.gate === gate) ?? {}
    const outcome =
      seconds === undefined ? 'not run' : `${passed ? 'passed ' : 'FAILED '} ${seconds.toFixed(1).padStart(7)} s`
    return [`  ${gate.padEnd(10)} ${outcome}`, ...(note ? [note] : [])].join('  ')
  })
}

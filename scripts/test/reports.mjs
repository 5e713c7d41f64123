// Reports of a run: each test runner writes a JUnit file per gate, and the failures in two lines each.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Environment variables with the file that collects the failures of a run, and with the JUnit file of a gate. */
export const failuresFile = 'PATCHBAY_FAILURES_FILE'
export const junitFile = 'PATCHBAY_JUNIT_FILE'

const slowestCount = 20

/** Empties the folder of the reports, and returns the variables with which a gate writes to it. */
export function prepareReports(root) {
  const folder = join(root, 'test-reports')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return {
    folder,
    variables: (gate) => ({
      [failuresFile]: join(folder, 'failures.txt'),
      [junitFile]: join(folder, `${gate}.xml`),
    }),
  }
}

/** Returns the first lines of an error message, indented below its test. */
export function inShort(message, indent = '    ') {
  const [first = '', ...rest] = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [first, ...rest.slice(0, 4).map((line) => `  ${line.trim()}`)].map((line) => `\n${indent}${line}`).join('')
}

/**
 * Prints the failed tests and, separately, the tests that passed on a retry, or adds them to the file that collects
 * them.
 */
export function printFailures(failed, flaky = []) {
  const part = (title, lines) => (lines.length > 0 ? `\n${title}\n${lines.join('\n')}\n` : '')
  const summary = part('Passed only on a retry, which is a bug to be found:', flaky) + part('Failed, in short:', failed)
  const file = process.env[failuresFile]
  if (file) appendFileSync(file, summary)
  else process.stdout.write(summary)
}

/** Returns the number of tests per gate, and the slowest tests of a run. */
export function describeReports(folder) {
  const gates = readdirSync(folder)
    .filter((name) => name.endsWith('.xml'))
    .map((name) => ({
      gate: name.slice(0, -'.xml'.length),
      tests: readJUnit(readFileSync(join(folder, name), 'utf8')),
    }))
  const counts = gates.map(({ gate, tests }) => `${tests.length} in ${gate}`)
  const slowest = gates
    .flatMap(({ tests }) => tests)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, slowestCount)
  const parts = [
    ...(counts.length > 0 ? [`Tests: ${counts.join(', ')}. JUnit files are in ${folder}.`] : []),
    ...(slowest.length > 0 ? ['The slowest:'] : []),
    ...slowest.map(({ seconds, file, title }) => `${seconds.toFixed(1).padStart(7)} s  ${file}: ${title}`),
  ]
  return parts.join('\n')
}

/** Returns the tests of a JUnit file that were run. */
export function readJUnit(xml) {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
    .filter(([, , content = '']) => !content.includes('<skipped'))
    .map(([, attributes = '']) => ({
      file: readAttribute(attributes, 'classname'),
      title: readAttribute(attributes, 'name'),
      seconds: Number(readAttribute(attributes, 'time')),
    }))
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const readAttribute = (attributes, name) =>
  (new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '').replaceAll(
    /&(amp|lt|gt|quot|apos);/g,
    (_, entity) => entities[entity],
  )

/** Returns the failures of a run, or an empty text. */
export function readFailures(folder) {
  const file = join(folder, 'failures.txt')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

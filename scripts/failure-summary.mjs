// Collects failures in two lines each and prints them at the end of a run, because truncated logs keep only the end.
import { appendFileSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** Environment variable with the file that collects the failures of a run for `npm test`. */
export const failuresFile = 'PATCHBAY_FAILURES_FILE'

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

/** Returns the collected failures of a run. */
export function readFailures(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

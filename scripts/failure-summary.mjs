// What failed, in two lines each, kept until the very end of a run: of a log that is cut off the end is what is left.
import { appendFileSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** Where the programs of a run keep it, for `npm test` to tell. */
export const failuresFile = 'PATCHBAY_FAILURES_FILE'

/** The first lines of an error's text, each on a line of its own below its test. */
export function inShort(message, indent = '    ') {
  const [first = '', ...rest] = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [first, ...rest.slice(0, 4).map((line) => `  ${line.trim()}`)].map((line) => `\n${indent}${line}`).join('')
}

/** Tells what failed, and apart from it what passed when it was tried again: that holds up no run, and is a bug. */
export function printFailures({ failed, again }) {
  const part = (title, lines) => (lines.length > 0 ? `\n${title}\n${lines.join('\n')}\n` : '')
  const told =
    part('Passed only when tried again, which is a bug to be found:', again) + part('Failed, in short:', failed)
  const file = process.env[failuresFile]
  if (file) appendFileSync(file, told)
  else process.stdout.write(told)
}

/** What the programs of this run told. */
export function readFailures(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

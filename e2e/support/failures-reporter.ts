import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { stripVTControlCharacters } from 'node:util'

/** Ends the output with what failed and why, in two lines each: the end is what a log that is cut off still has. */
// oxlint-disable-next-line import/no-default-export -- Playwright takes a reporter from the default export
export default class FailuresReporter implements Reporter {
  readonly #lines: string[] = []

  onTestEnd(test: TestCase, { errors, status }: TestResult): void {
    if (status === test.expectedStatus || status === 'skipped') return
    const said = errors.map(({ message = '', location }) => {
      const [first = '', ...rest] = stripVTControlCharacters(message)
        .split('\n')
        .filter((line) => line.trim() !== '')
      const detail = rest.slice(0, 4).map((line) => `\n      ${line.trim()}`)
      return `\n    ${location ? `line ${location.line}: ` : ''}${first}${detail.join('')}`
    })
    this.#lines.push(`  ${test.titlePath().slice(2).join(' › ')}${said.join('')}`)
  }

  onEnd(): void {
    if (this.#lines.length > 0) process.stdout.write(`\nFailed, in short:\n${this.#lines.join('\n')}\n`)
  }
}

import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { stripVTControlCharacters } from 'node:util'

/**
 * Ends the output with what failed and why, in two lines each: the end is what a log that is cut off still has. What
 * passed when it was tried again is named apart: it does not hold up a run, and is a bug of the test or of the product.
 */
// oxlint-disable-next-line import/no-default-export -- Playwright takes a reporter from the default export
export default class FailuresReporter implements Reporter {
  readonly #failed = new Map<TestCase, string>()

  onTestEnd(test: TestCase, { errors, status }: TestResult): void {
    if (status === test.expectedStatus || status === 'skipped') return
    const said = errors.map(({ message = '', location }) => {
      const [first = '', ...rest] = stripVTControlCharacters(message)
        .split('\n')
        .filter((line) => line.trim() !== '')
      const detail = rest.slice(0, 4).map((line) => `\n      ${line.trim()}`)
      return `\n    ${location ? `line ${location.line}: ` : ''}${first}${detail.join('')}`
    })
    this.#failed.set(test, `  ${test.titlePath().slice(2).join(' › ')}${said.join('')}`)
  }

  onEnd(): void {
    const [again, failed] = [true, false].map((isFlaky) =>
      [...this.#failed].filter(([test]) => (test.outcome() === 'flaky') === isFlaky).map(([, line]) => line),
    )
    const tell = (title: string, lines: readonly string[] = []) => {
      if (lines.length > 0) process.stdout.write(`\n${title}\n${lines.join('\n')}\n`)
    }
    tell('Passed only when tried again, which is a bug to be found:', again)
    tell('Failed, in short:', failed)
  }
}

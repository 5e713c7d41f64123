import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { inShort, printFailures } from '../../scripts/failure-summary.mjs'

/** Playwright reporter that collects failures by file, test name, and line. */
// oxlint-disable-next-line import/no-default-export -- Playwright takes a reporter from the default export
export default class FailuresReporter implements Reporter {
  readonly #failed: string[] = []

  onTestEnd(test: TestCase, { errors, status }: TestResult): void {
    if (status === test.expectedStatus || status === 'skipped') return
    const messages = errors.map(({ message = '', location }) =>
      inShort(`${location ? `line ${location.line}: ` : ''}${message}`),
    )
    this.#failed.push(`  ${test.titlePath().slice(2).join(' › ')}${messages.join('')}`)
  }

  onEnd(): void {
    printFailures(this.#failed)
  }
}

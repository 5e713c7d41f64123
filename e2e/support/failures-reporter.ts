import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { inShort, printFailures } from '../../scripts/test/reports.mjs'

/** Playwright reporter that collects failures by file, test name, and line. */
// oxlint-disable-next-line import/no-default-export -- Playwright takes a reporter from the default export
export default class FailuresReporter implements Reporter {
  readonly #failed = new Map<TestCase, string>()

  onTestEnd(test: TestCase, { errors, status }: TestResult): void {
    if (status === test.expectedStatus || status === 'skipped') return
    const messages = errors.map(({ message = '', location }) =>
      inShort(`${location ? `line ${location.line}: ` : ''}${message}`),
    )
    this.#failed.set(test, `  ${test.titlePath().slice(2).join(' › ')}${messages.join('')}`)
  }

  onEnd(): void {
    const select = (isFlaky: boolean) =>
      [...this.#failed].filter(([test]) => (test.outcome() === 'flaky') === isFlaky).map(([, line]) => line)
    printFailures(select(false), select(true))
  }
}

import { inShort, printFailures } from './reports.mjs'

/** Vitest reporter that collects failures by file and test name. */
// oxlint-disable-next-line import/no-default-export -- Vitest takes a reporter from the default export
export default class UnitFailures {
  onTestRunEnd(modules, unhandled) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const line = (test) => {
      const { errors = [] } = test.result()
      const why = errors.map(({ message }) => inShort(message)).join('')
      return `  ${test.project.name} › ${test.module.relativeModuleId} › ${test.fullName}${why}`
    }
    const broken = modules.flatMap((module) =>
      module.errors().map(({ message }) => `  ${module.project.name} › ${module.relativeModuleId}${inShort(message)}`),
    )
    printFailures([
      ...tests.filter((test) => test.result().state === 'failed').map(line),
      ...broken,
      ...unhandled.map(({ message = '' }) => `  outside of any test${inShort(message)}`),
    ])
  }
}

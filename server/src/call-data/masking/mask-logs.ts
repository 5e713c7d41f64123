import { findAccountOfLine } from '../logs/log-lines.ts'
import type { LogLine, LogSink } from '../logs/logs.ts'
import { createIntakeRules } from './intake-rules.ts'
import type { Masking } from './masking.ts'

/** Returns a sink that masks the texts in log lines before it passes them on. */
export const maskLogs = (sink: LogSink, masking: Masking): LogSink => {
  const intakeRules = createIntakeRules(masking.rules)
  return {
    async store(lines) {
      const groups = lines.map(({ call_id, text }) => ({ id: call_id, account_sid: findAccountOfLine(text) }))
      const rules = await intakeRules.find(groups)
      const masked: LogLine[] = [...lines]
      for (const ownRules of new Set(rules)) {
        const positions = [...lines.keys()].filter((at) => rules[at] === ownRules)
        const maskedLines = await masking.maskLines(
          ownRules,
          positions.flatMap((at) => lines[at]?.text ?? []),
          'store',
        )
        for (const [index, at] of positions.entries()) {
          const [line, text] = [lines[at], maskedLines[index]]
          if (line !== undefined && text !== undefined) masked[at] = { ...line, text }
        }
      }
      return sink.store(masked)
    },
  }
}

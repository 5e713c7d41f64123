import { gzipSync } from 'node:zlib'
import { postRepeatedly, type Scenario } from './scenario.ts'

/** Points of line protocol with more fields and tags than anyone writes. */

const names = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `,${prefix}${at}=1`).join('')

const scenario = (name: string, makeBody: () => string): Scenario => ({
  name: `hostile Influx: ${name}`,
  async prepare({ server }) {
    const bodies = [gzipSync(makeBody())]
    return postRepeatedly(`http://127.0.0.1:${server.intakePort}/write?db=cdrs`, 'text/plain', bodies)
  },
})

export const influxScenarios: readonly Scenario[] = [
  scenario('600,000 fields per point', () => `cdrs,account_sid=a call_sid="b"${names('f', 600_000)} 1`),
  // The most fields that the intake accepts.
  scenario('1,000 points of 250 fields', () =>
    `cdrs,account_sid=a,answered=true call_sid="b"${names('f', 249)} 1\n`.repeat(1000),
  ),
  scenario('endless tags', () => `cdrs${names('t', 600_000)}`),
]

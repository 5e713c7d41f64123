import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { asAccount, createAccount, createStatusCounts, repeat, type Scenario } from './scenario.ts'

/** Ten readers of a trace with 180,000 spans. */

const readers = 10
const exports = 18
const spansPerExport = 10_000

const createExport = (trace_id: string, account_sid: string): Buffer<ArrayBuffer> => {
  const spans = Array.from({ length: spansPerExport }, () => ({
    traceId: trace_id,
    spanId: randomBytes(8).toString('hex'),
    name: 'verb:say',
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000001000000000',
    attributes: [{ key: 'accountSid', value: { stringValue: account_sid } }],
  }))
  return gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))
}

export const traceReaderScenario: Scenario = {
  name: `${readers} readers of a large trace`,
  async prepare(target) {
    const account = await createAccount(target)
    const { token } = await asAccount(target, account)
    const trace_id = randomBytes(16).toString('hex')
    const stored = createStatusCounts()
    for (let nth = 0; nth < exports; nth += 1)
      await stored.send(`http://127.0.0.1:${target.server.otlpPort}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: createExport(trace_id, account),
      })
    const url = `${target.server.url}/v1/Accounts/${account}/RecentCalls/trace/${trace_id}`
    return {
      async run(signal) {
        const counts = createStatusCounts()
        const headers = { authorization: `Bearer ${token}` }
        await repeat(signal, readers, () => counts.send(url, { headers, signal }))
        return `exports ${stored.toString()}; reads ${counts.toString()}`
      },
      stop() {},
    }
  },
}

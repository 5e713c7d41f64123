import { randomUUID } from 'node:crypto'
import { create, createStatusCounts, fetchStatus, repeat, request, type Scenario, type Target } from './scenario.ts'

/** A provider with expensive patterns, whose users read large logs. Reads of another provider's log are timed. */

const readers = 4
const patterns = 20
const linesPerDelivery = 1000
const deliveries = 8
const timedReads = 5

/** Valid, and slow for texts without a match: every position of the text can begin one. */
const expensivePatterns = Array.from({ length: patterns }, (_, at) => ({
  name: `pattern ${at}`,
  expression: `(?:[a-z]+[0-9]+){1,40}${at}[!?]`,
  replacement: 'masked',
}))

const postIntake = (port: number, path: string, type: string, body: string) =>
  fetchStatus(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  })

/** Creates an account of a provider with a call and its log. Returns the URL of the log. */
const createLog = async (target: Target, service_provider_sid: string, text: string): Promise<string> => {
  const account = await create(target, '/Accounts', { name: randomUUID(), service_provider_sid })
  const call_sid = randomUUID()
  const { intakePort, otlpPort, url } = target.server
  const record = `cdrs,account_sid=${account},direction=inbound,answered=true call_sid="${call_sid}",duration=60`
  await postIntake(intakePort, '/write?db=cdrs', 'text/plain', `${record} ${Date.now()}000000`)
  for (let delivery = 0; delivery < deliveries; delivery += 1) {
    const lines = Array.from({ length: linesPerDelivery }, (_, at) =>
      JSON.stringify({ level: 30, time: Date.now(), callSid: call_sid, msg: `${delivery}-${at} ${text}` }),
    )
    await postIntake(otlpPort, '/logs', 'application/x-ndjson', lines.join('\n'))
  }
  return `${url}/v1/Accounts/${account}/RecentCalls/${call_sid}/logs`
}

export const maskingScenario: Scenario = {
  name: 'expensive masking patterns of a provider',
  async prepare(target) {
    const admin = { ...target, token: target.adminKey }
    const attacker = await create(admin, '/ServiceProviders', { name: randomUUID() })
    const log = await createLog(admin, attacker, 'ab1'.repeat(80))
    const rules = { patterns: expensivePatterns }
    await request(admin, 'PUT', `/patchbay/ServiceProviders/${attacker}/MaskingRules`, rules)
    const otherLog = await createLog(admin, target.provider, 'a line of another provider')
    const init = { headers: { authorization: `Bearer ${target.adminKey}` } }

    const time = async (signal: AbortSignal): Promise<string> => {
      const counts = createStatusCounts()
      const times: number[] = []
      while (times.length < timedReads && !signal.aborted) {
        const started = performance.now()
        await counts.send(otherLog, { ...init, signal })
        times.push(performance.now() - started)
      }
      return `other provider's log after ${times.map((ms) => ms.toFixed(0)).join(', ')} ms (${counts.toString()})`
    }

    return {
      async run(signal) {
        const counts = createStatusCounts()
        const attack = repeat(signal, readers, () => counts.send(log, { ...init, signal }))
        const observed = await time(signal)
        await attack
        return `reads ${counts.toString()}; ${observed}`
      },
      stop() {},
    }
  },
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { enter, mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { freePort } from '@patchbay/testkit/servers/ports'
import { runPromtool, startPrometheus } from '@patchbay/testkit/servers/prometheus'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'

/** The metrics of a real process, scraped by Prometheus. */

const rulesFile = fileURLToPath(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url))
const ruleTestsFile = fileURLToPath(new URL('../../deploy/test/alert-rules.yaml', import.meta.url))

interface AlertTest {
  alertname: string
  exp_alerts: object[]
}

/** Causes metrics of all kinds: requests, statements, audit entries, and call data that is stored or rejected. */
const causeTraffic = async (server: RunningServer): Promise<void> => {
  const target = await enter(server)
  const created = await callApi(target, target.session, 'POST', '/ServiceProviders', { name: 'Watched provider' })
  expect(created).toMatchObject({ status: 201 })
  for (let count = 1; count <= 5; count += 1) await callApi(target, target.session, 'GET', '/Accounts')
  await callApi(target, '', 'GET', '/Accounts')
  const time = BigInt(Date.now()) * 1_000_000n
  const accounts = await callApi(target, target.session, 'GET', '/Accounts')
  const [{ account_sid = '' } = {}] = accounts.body as { account_sid?: string }[]
  const call = `cdrs,account_sid=${account_sid},answered=true,direction=inbound call_sid="a",duration=1 ${time}`
  const write = (body: string) => fetch(`http://127.0.0.1:${server.intakePort}/write?db=cdrs`, { method: 'POST', body })
  expect((await write(call)).status).toBe(204)
  expect((await write('cdrs without fields')).status).toBe(400)
  await sendCallData(server, account_sid)
}

/** Sends a trace, captured SIP, and a recording. */
const sendCallData = async ({ url, otlpPort, hepPort }: RunningServer, account_sid: string): Promise<void> => {
  await exportCall({ url: `http://127.0.0.1:${otlpPort}`, account_sid, call_sid: 'a' })
  const agent = hepAgent(hepPort)
  const payload = Buffer.from('INVITE sip:a@127.0.0.1 SIP/2.0\r\nCall-ID: metrics@127.0.0.1\r\nCSeq: 1 INVITE\r\n\r\n')
  const addresses = { source: '127.0.0.1', sourcePort: 5060, destination: '127.0.0.1', destinationPort: 5080 }
  await agent.send(hepPacket({ ...addresses, payload }))
  await agent.send(Buffer.from('not HEP'))
  agent.stop()
  const recorder = await startRecording({ url: url.replace('http', 'ws'), account_sid })
  await recorder.say(tones([440, 1000], 1))
  await recorder.hangUp()
}

test.each(['SQLite', 'MariaDB'])(
  'Prometheus reads the metrics of a server on %s, and promtool finds no fault',
  async (engine) => {
    const client = mariaDbClient(inject('mariadb'))
    const database = 'metrics'
    const store = engine === 'SQLite' ? sqliteStore() : mysqlStore(await client.createDatabase(database))
    const port = await freePort()
    const server = await startServer({ ...store.settings, METRICS_PORT: String(port), METRICS_PROVIDERS: '5' })
    const prometheus = await startPrometheus(`127.0.0.1:${port}`, rulesFile)
    try {
      await causeTraffic(server)
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      expect(await runPromtool(['check', 'metrics'], text)).toBe('')
      const sum = async (selector: string): Promise<number> =>
        (await prometheus.query(`sum(${selector})`))[0]?.value ?? 0
      await expect.poll(() => sum('patchbay_intake_records_total{data="calls"}')).toBe(1)
      await expect.poll(() => sum('patchbay_intake_records_total{data="spans"}')).toBeGreaterThan(5)
      await expect.poll(() => sum('patchbay_intake_records_total{data="sip_messages"}')).toBe(1)
      await expect.poll(() => sum('patchbay_intake_records_total{data="recordings"}')).toBe(1)
      expect(await sum('patchbay_intake_records_rejected_total{data="sip_messages"}')).toBe(1)
      for (const intake of ['influx', 'otlp', 'hep', 'recordings'])
        expect([intake, await sum(`patchbay_intake_bytes_total{intake="${intake}"}`)]).toEqual([
          intake,
          expect.toSatisfy((bytes: number) => bytes > 0),
        ])
      expect(await sum('up{job="patchbay"}')).toBe(1)
      const accounts = 'patchbay_http_request_duration_seconds_count{route="/v1/Accounts",method="GET"'
      expect(await sum(`${accounts},status_class="2xx"}`)).toBeGreaterThanOrEqual(5)
      expect(await sum(`${accounts},status_class="4xx"}`)).toBe(1)
      expect(await sum('patchbay_intake_records_rejected_total{data="calls",reason="invalid"}')).toBe(1)
      expect(await sum('patchbay_audit_entries_total{action="create"}')).toBeGreaterThanOrEqual(1)
      expect(
        await sum('patchbay_database_query_duration_seconds_count{pool="main",statement="commit"}'),
      ).toBeGreaterThan(0)
      expect(await sum('patchbay_database_connections_max{pool="main"}')).toBe(engine === 'SQLite' ? 1 : 10)
      await expect
        .poll(() => sum('patchbay_job_last_success_timestamp_seconds{name="alert_deliveries"}'))
        .toBeGreaterThan(0)
      expect(await sum('patchbay_provider_accounts')).toBeGreaterThan(0)
      expect(await sum('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
      // Prometheus has loaded the rules, and a healthy server fires none of them.
      expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([])
      // The public port does not serve the metrics.
      const publicResponse = await fetch(`${server.url}/metrics`)
      expect(publicResponse.status).toBe(404)
      await expect(fetch(`http://127.0.0.1:${port}/v1/Accounts`)).resolves.toMatchObject({ status: 404 })
    } finally {
      await prometheus.stop()
      await server.stop()
      store.remove()
      if (engine === 'MariaDB') await client.dropDatabase(database)
    }
  },
)

test('promtool accepts the alert rules', async () => {
  expect(await runPromtool(['check', 'rules', rulesFile])).toMatch(/SUCCESS: \d+ rules found/)
})

test('each alert fires for the problem that it names', async () => {
  expect(await runPromtool(['test', 'rules', ruleTestsFile])).toMatch(/SUCCESS/)
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
  const { tests } = parse(readFileSync(ruleTestsFile, 'utf8')) as { tests: { alert_rule_test: AlertTest[] }[] }
  const firing = tests
    .flatMap(({ alert_rule_test }) => alert_rule_test)
    .filter(({ exp_alerts }) => exp_alerts.length > 0)
  expect([...new Set(firing.map(({ alertname }) => alertname))]).toEqual(
    groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
  )
})

test('the start fails with the name of the setting if the port of the metrics is in use', async () => {
  const store = sqliteStore()
  const port = await freePort()
  const first = await startServer({ METRICS_PORT: String(port) })
  try {
    await expect(startServer({ ...store.settings, METRICS_PORT: String(port) })).rejects.toThrow(
      `Patchbay cannot listen on port ${port} of 127.0.0.1: another program uses that port. Set another one with METRICS_PORT.`,
    )
  } finally {
    await first.stop()
    store.remove()
  }
})

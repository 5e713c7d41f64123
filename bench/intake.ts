import { randomUUID } from 'node:crypto'
import {
  ask,
  cpuSeconds,
  type Filled,
  filledServer,
  parseEngines,
  printTable,
  productionMariaDb,
  scaled,
} from './harness.ts'

/**
 * npm run bench:intake [sqlite] [mariadb] [clickhouse]: sends batches of 500 call records on 16 connections for 20 seconds,
 * of 20 accounts in turns. Each names a trace, as the records of a platform do, but has no spans. Records without a response
 * of 204 are sent again. CPU is that of the server and the database.
 */

const seconds = scaled(20)
const connections = 16
const recordsPerBatch = 500
/** The batches are created before the measurement, because this process shares the processor with the server. */
const batches = scaled(800, connections)

const createRecord = (account_sid: string, provider: string, at: bigint): string =>
  `cdrs,direction=inbound,host=10.0.0.9,trunk=benchmark,service_provider_sid=${provider},account_sid=${account_sid},answered=true ` +
  `call_sid="${randomUUID()}",duration=12,from="15085550001",to="15085550002",sip_callid="${randomUUID()}",sip_status=200,trace_id="${randomUUID().replaceAll('-', '')}",termination_reason="caller hungup" ${at}`

const createBatches = (provider: string, accounts: readonly string[]): string[] => {
  const start = BigInt(Date.now() - 3_600_000) * 1_000_000n
  return Array.from({ length: batches }, (_, batch) =>
    Array.from({ length: recordsPerBatch }, (_record, position) => {
      const account = accounts[(batch + position) % accounts.length] ?? ''
      return createRecord(account, provider, start + BigInt(batch * recordsPerBatch + position) * 1_000_000n)
    }).join('\n'),
  )
}

const measure = async ({ engine, server, databasePid }: Filled, bodies: string[]): Promise<string[]> => {
  const pids = [server.pid, ...(databasePid === undefined ? [] : [databasePid])]
  const readCpu = () => pids.map(cpuSeconds).reduce((sum, one) => sum + one, 0)
  const cpuBefore = readCpu()
  const started = performance.now()
  const isOver = () => performance.now() - started > seconds * 1000
  let [accepted, rejected] = [0, 0]
  const send = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined && !isOver(); body = bodies.pop())
      for (let isAccepted = false; !isAccepted && !isOver(); ) {
        const answer = await fetch(`http://127.0.0.1:${server.intakePort}/write?db=cdrs&precision=n`, {
          method: 'POST',
          body,
        })
        await answer.arrayBuffer()
        isAccepted = answer.status === 204
        if (isAccepted) accepted += recordsPerBatch
        else rejected += 1
      }
  }
  await Promise.all(Array.from({ length: connections }, send))
  const took = (performance.now() - started) / 1000
  const cpuMicroseconds = ((readCpu() - cpuBefore) / Math.max(1, accepted)) * 1e6
  return [engine, String(accepted), (accepted / took).toFixed(0), cpuMicroseconds.toFixed(0), String(rejected)]
}

const table: string[][] = []
for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', '0'], { mariaDbOptions: productionMariaDb })
  try {
    const accounts = await ask<{ account_sid: string }[]>(filled.server.url, filled.token, '/Accounts')
    const sids = accounts.map(({ account_sid }) => account_sid)
    table.push(await measure(filled, createBatches(filled.provider, sids)))
  } finally {
    await filled.stop()
  }
}
printTable([['engine', 'records', 'records/s', 'CPU per record, µs', 'rejected batches'], ...table])

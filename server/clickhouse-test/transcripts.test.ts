import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { createClickHouseTranscriptIndex } from '@patchbay/server/call-data/clickhouse/clickhouse-transcripts'
import type { ExternalTranscriptIndex } from '@patchbay/server/call-data/conversations/external-transcript-index'
import { transcriptIndexTable } from '@patchbay/server/call-data/conversations/transcript-index-table'
import { indexVersions } from '@patchbay/server/call-data/conversations/transcript-tokens'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { openClickHouseApi } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-api'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { at, createOwner, find, say, search, toPath } from '../test/transcript-support.ts'

/** The index of transcripts in ClickHouse, while the transcripts are in the database. */

const { server, api } = await openClickHouseApi()

const later = () => Date.now() + hourMs
const runJob = (now?: () => number) => createTranscriptJob(api.services, now)()

const readIndex = (): ExternalTranscriptIndex => {
  const { transcriptIndex } = api.services
  if (transcriptIndex === undefined) throw new Error('no index outside the database')
  return transcriptIndex
}

/** Returns the number of rows of an account, including those that a merge will remove. */
const countEntries = async (account_sid: string): Promise<number> =>
  Number(await server.query(`SELECT count() FROM transcript_tokens WHERE account_sid = '${account_sid}'`))

const readTranscriptId = async (call_sid: string): Promise<number> => {
  const { db } = api.services.database
  const query = db.selectFrom('patchbay_transcripts').select('transcript_id').where('call_sid', '=', call_sid)
  return (await query.executeTakeFirstOrThrow()).transcript_id
}

const countRemovals = async (): Promise<number> => {
  const { db } = api.services.database
  return (await db.selectFrom('patchbay_transcript_removals').select('transcript_id').execute()).length
}

test('words of a replaced transcript are not found, and are removed after all processes have added theirs', async () => {
  const owner = await createOwner(api)
  const call_sid = await say(api, owner, ['first text'])
  await runJob()
  await say(api, owner, ['second text'], { call_sid })
  expect(await find(api, owner, 'first')).toEqual([])
  expect(await find(api, owner, 'second')).toEqual([call_sid])
  expect([await countEntries(owner.account_sid), await countRemovals()]).toEqual([2, 1])
  await runJob(later)
  expect([await countEntries(owner.account_sid), await countRemovals()]).toEqual([1, 0])
  expect(await find(api, owner, 'second')).toEqual([call_sid])
})

test('a transcript that is computed again without a change keeps its row', async () => {
  const owner = await createOwner(api)
  const call_sid = await say(api, owner, ['unchanged'])
  const before = await readTranscriptId(call_sid)
  await say(api, owner, ['unchanged'], { call_sid })
  expect(await readTranscriptId(call_sid)).toBe(before)
  expect(await countRemovals()).toBe(0)
})

test('a transcript that is deleted while a process adds its words leaves none', async () => {
  const owner = await createOwner(api)
  const call_sid = await say(api, owner, ['deleted meanwhile'])
  const index = readIndex()
  const transcriptIndex: ExternalTranscriptIndex = {
    ...index,
    async add(transcripts) {
      await index.add(transcripts)
      await say(api, owner, [''], { call_sid })
    },
  }
  await createTranscriptJob({ database: api.services.database, transcriptIndex })()
  expect(await countEntries(owner.account_sid)).toBe(1)
  expect(await find(api, owner, 'deleted')).toEqual([])
  await runJob(later)
  expect([await countEntries(owner.account_sid), await countRemovals()]).toEqual([0, 0])
})

test('words that another tenant has left behind under the same ID return none of its calls', async () => {
  const [owner, other] = [await createOwner(api), await createOwner(api)]
  const call_sid = await say(api, other, ['confidential'])
  const transcript_id = await readTranscriptId(call_sid)
  const entry = { transcript_id, application_sid: null, generation: 0, tokens: ' cwconfidential zzz ' }
  await readIndex().add([{ ...entry, ...owner }])
  expect(await find(api, owner, 'confidential')).toEqual([])
  expect((await search(api, `ServiceProviders/${owner.service_provider_sid}`, 'confidential')).data).toEqual([])
  expect(await find(api, other, 'confidential')).toEqual([call_sid])
})

test('transcripts that two processes add are found once', async () => {
  const owner = await createOwner(api)
  const calls: string[] = []
  for (let call = 0; call < 5; call += 1) calls.unshift(await say(api, owner, ['twice'], { at: at + call }))
  await Promise.all([runJob(), runJob(), runJob()])
  expect(await find(api, owner, 'twice')).toEqual(calls)
})

test('transcripts without ClickHouse wait in the database, and searches fail until it is back', async () => {
  const owner = await createOwner(api)
  await server.kill()
  const call_sid = await say(api, owner, ['waiting'])
  await expect(runJob()).rejects.toThrow('ECONNREFUSED')
  const answer = await api.admin.get(toPath(`Accounts/${owner.account_sid}`, 'waiting'))
  expect([answer.status, answer.text]).toEqual([503, expect.not.stringContaining('transcript_tokens')])
  await server.restart()
  await expect.poll(() => find(api, owner, 'waiting').catch(() => [])).toEqual([call_sid])
})

test('transcripts move to ClickHouse when it is configured, and back when it no longer is', async () => {
  const owner = await createOwner(api)
  const { database } = api.services
  const inDatabase = { database, transcriptIndex: undefined }
  const call = { account_sid: owner.account_sid, call_sid: await say(api, owner, ['moving']) }
  await createTranscriptJob(inDatabase)()
  const readState = async () => {
    const [row] = await database.db
      .selectFrom('patchbay_transcripts')
      .select(['transcript_id', 'index_version'])
      .where('call_sid', '=', call.call_sid)
      .execute()
    const idColumn = sql.raw(database.engine === 'sqlite' ? 'rowid' : 'transcript_id')
    const { rows } = await sql`SELECT ${idColumn} FROM ${sql.raw(transcriptIndexTable)}
      WHERE ${idColumn} = ${row?.transcript_id ?? 0}`.execute(database.db)
    return { version: row?.index_version, inDatabase: rows.length, inClickHouse: await countEntries(owner.account_sid) }
  }
  expect(await readState()).toEqual({ version: indexVersions.database, inDatabase: 1, inClickHouse: 0 })
  await runJob()
  expect(await readState()).toEqual({ version: indexVersions.external, inDatabase: 0, inClickHouse: 1 })
  expect(await find(api, owner, 'moving')).toEqual([call.call_sid])
  await createTranscriptJob(inDatabase)()
  expect(await readState()).toMatchObject({ version: indexVersions.database, inDatabase: 1 })
  await runJob()
})

test('a new transcript does not get the ID of one whose words are still to be removed', async () => {
  const owner = await createOwner(api)
  const { database } = api.services
  const call_sid = await say(api, owner, ['original'])
  const first = await readTranscriptId(call_sid)
  // All IDs of the millisecond of the call, of which the store picks one at random, and some of the next.
  const start = Math.floor(first / 512) * 512
  const taken = Array.from({ length: 520 }, (_, position) => ({ transcript_id: start + position, removed_at: 0 }))
  await database.db.insertInto('patchbay_transcript_removals').values(taken).execute()
  await say(api, owner, ['replaced'], { call_sid })
  expect(await readTranscriptId(call_sid)).toBeGreaterThanOrEqual(start + 520)
  await runJob(later)
  expect(await find(api, owner, 'replaced')).toEqual([call_sid])
})

test('phrases are found newest first in all windows of time, with pages', async () => {
  const owner = await createOwner(api)
  const now = Date.now()
  const ages = [0, 0.5, 1.5, 4, 6, 20, 22, 80, 90, 400]
  const calls: string[] = []
  for (const age of ages) calls.push(await say(api, owner, ['the same phrase'], { at: now - age * dayMs }))
  await say(api, owner, ['the phrase same'])
  expect(await find(api, owner, '"same phrase"')).toEqual(calls)
  expect(await find(api, owner, 'the -"phrase same"')).toEqual(calls)
  const paged: string[] = []
  for (const page of [1, 2, 3, 4]) {
    const path = toPath(`Accounts/${owner.account_sid}`, '"same phrase"').replace(
      'page=1&count=25',
      `page=${page}&count=3`,
    )
    const { body } = await api.admin.get(path)
    paged.push(...(body as { data: { call_sid: string }[] }).data.map((call) => call.call_sid))
  }
  expect(paged).toEqual(calls)
  const start = new Date(now - 30 * dayMs).toISOString()
  const end = new Date(now - 3 * dayMs).toISOString()
  expect(await find(api, owner, '"same phrase"', `&start=${start}&end=${end}`)).toEqual(calls.slice(3, 7))
})

test('a search for a word reads the index instead of the words', async () => {
  const { clickHouse: address } = api.services.configuration
  if (address === null) throw new Error('no ClickHouse')
  const clickHouse = await createClickHouse(address)
  const explained: string[] = []
  const index = createClickHouseTranscriptIndex({
    ...clickHouse,
    async query(statement, parameters) {
      const lines = await clickHouse.query<{ explain: string }>(`EXPLAIN indexes = 1 ${statement}`, parameters)
      explained.push(...lines.map(({ explain }) => explain.trim()))
      return []
    },
  })
  await index.find({
    owner: await createOwner(api),
    application_sid: undefined,
    included: [[['cwindexed'], ['awindexed']]],
    excluded: [],
    ids: { from: 0, until: Number.MAX_SAFE_INTEGER },
    limit: 25,
    generations: new Map(),
  })
  await clickHouse.close()
  expect(explained.join('\n')).toMatch(/Name: tokens_index\nDescription: text/)
})

test('an account whose transcripts were hidden is searched by its new ones only', async () => {
  const owner = await createOwner(api)
  const neighbor = await createOwner(api, owner.service_provider_sid)
  await say(api, owner, ['generations'])
  await runJob()
  const path = `/patchbay/Accounts/${owner.account_sid}/TranscriptSettings`
  for (const access of ['off', 'editors']) expect((await api.admin.put(path, { access })).status).toBe(204)
  const own = await say(api, owner, ['generations'], { at: at + 1 })
  const next = await say(api, neighbor, ['generations'], { at: at + 2 })
  const found = await search(api, `ServiceProviders/${owner.service_provider_sid}`, 'generations')
  expect(found.data.map(({ call_sid }) => call_sid)).toEqual([next, own])
  expect(await find(api, owner, 'generations')).toEqual([own])
})

test('300 searches of two tenants at a time find the calls of each', async () => {
  const owners = [await createOwner(api), await createOwner(api)] as const
  const calls = [await say(api, owners[0], ['crowded']), await say(api, owners[1], ['crowded'])] as const
  await runJob()
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, request) =>
      api.admin.get(toPath(`Accounts/${owners[request % 2 === 0 ? 0 : 1].account_sid}`, 'crowded')),
    ),
  )
  // A tenant has at most 32 searches at a time.
  const served = answers.map(({ status, body }, request) => {
    const [found] = status === 200 ? (body as { data: { call_sid: string }[] }).data : []
    return status === 429 ? 'rejected' : found?.call_sid === calls[request % 2 === 0 ? 0 : 1] ? 'own' : `${status}`
  })
  expect(new Set(served)).toEqual(new Set(['own', 'rejected']))
  expect(served.filter((outcome) => outcome === 'own').length).toBeGreaterThanOrEqual(32)
})

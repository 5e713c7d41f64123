import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBackup } from '@patchbay/server/backup/create-backup'
import { openLocalFile } from '@patchbay/server/backup/local-file'
import { readBackup } from '@patchbay/server/backup/open-backup'
import type { CellValue } from '@patchbay/server/backup/row-encoding'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestWorld } from '@patchbay/testkit/test-world'
import { afterAll, expect, test } from 'vitest'

/** A backup that is taken while others write contains each transaction completely or not at all. */

const { api, world } = await openTestWorld()
const folder = mkdtempSync(join(tmpdir(), 'patchbay-consistency-'))
afterAll(() => rmSync(folder, { recursive: true }))

const prefix = 'consistent'
const gatewaysPerCarrier = 2
const writers = 3
const backups = 8
/** A backup that sees at least this many carriers has some that were created while it ran or before. */
const minimumCarriers = 5

const location: StorageLocation = {
  dataDir: folder,
  database: isMysql
    ? { engine: 'mysql', url: api.test.address, connections: 2 }
    : { engine: 'sqlite', file: api.test.address },
}

type Row = Record<string, CellValue>

/** Writes a backup and returns the rows of some of its tables. */
const backUp = async (file: string): Promise<Record<string, Row[]>> => {
  await createBackup({ location, file: openLocalFile(file), withSecrets: false })
  const tables: Record<string, Row[]> = { voip_carriers: [], sip_gateways: [], patchbay_audit_trail: [] }
  await readBackup(openLocalFile(file), () => Promise.resolve(undefined), {
    onRows: ({ name, columns }, rows) => {
      for (const row of rows)
        tables[name]?.push(Object.fromEntries(columns.map((column, position) => [column, row[position] ?? null])))
    },
  })
  return tables
}

/** Creates carriers with their gateways, each in one transaction with its audit entries, and deletes every other one. */
const write = async (writer: number, isOver: () => boolean): Promise<number> => {
  let created = 0
  while (!isOver()) {
    created += 1
    const { status, body } = await api.admin.post('/patchbay/carriers', {
      carrier: { name: `${prefix} ${writer} ${created}`, service_provider_sid: world.sid.P },
      sip_gateways: [{ ipv4: '10.0.0.1' }, { ipv4: '10.0.0.2' }],
    })
    expect(status).toBe(201)
    const { voip_carrier_sid } = body as { voip_carrier_sid: string }
    if (created % 2 === 0) expect((await api.admin.delete(`/VoipCarriers/${voip_carrier_sid}`)).status).toBe(204)
  }
  return created
}

test('carriers have their gateways and their audit entries, whenever the backup was taken', async () => {
  let isOver = false
  const writing = Array.from({ length: writers }, (_, writer) => write(writer, () => isOver))
  const counts: number[] = []
  for (let nth = 0; nth < backups; nth += 1) {
    const tables = await backUp(join(folder, String(nth)))
    const carriers = (tables['voip_carriers'] ?? []).filter(({ name }) => String(name).startsWith(prefix))
    const sids = new Set((tables['voip_carriers'] ?? []).map(({ voip_carrier_sid }) => voip_carrier_sid))
    const gateways = tables['sip_gateways'] ?? []
    const audited = new Set((tables['patchbay_audit_trail'] ?? []).map(({ sid }) => sid))
    counts.push(carriers.length)
    expect(gateways.filter(({ voip_carrier_sid }) => !sids.has(voip_carrier_sid))).toEqual([])
    for (const { voip_carrier_sid } of carriers) {
      const own = gateways.filter((gateway) => gateway['voip_carrier_sid'] === voip_carrier_sid)
      expect([voip_carrier_sid, own.length, audited.has(voip_carrier_sid ?? '')]).toEqual([
        voip_carrier_sid,
        gatewaysPerCarrier,
        true,
      ])
    }
  }
  isOver = true
  const created = (await Promise.all(writing)).reduce((sum, count) => sum + count, 0)
  // Writers were not blocked, and later backups contain more.
  expect(created).toBeGreaterThan(minimumCarriers)
  expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0)
})

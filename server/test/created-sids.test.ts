import { randomUUID } from 'node:crypto'
import { contract } from '@patchbay/contract/contract'
import { createSidRemoval, findPrimaryKey } from '@patchbay/server/http/record-updates'
import { openTestWorld } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { createRequest, send } from './access-matrix/matrix-world.ts'
import type { EndpointName } from './access-matrix/rule.ts'
import { rules } from './access-matrix/rules.ts'
import { getRow, snapshot, statusAndMessage } from './fixtures.ts'

/** A SID in the body of a request that creates a record. The server replaces it, as in the platform's API. */

const { api, world } = await openTestWorld()
const matrix = { ...world, api, isShared: false }

const creations = Object.entries(contract).flatMap(([key, endpoint]) => {
  const name = findPrimaryKey(key)
  const probe = { [name ?? '']: randomUUID() }
  const isRemoved = name !== undefined && createSidRemoval(key, endpoint)(probe) !== probe
  return isRemoved ? [{ key: key as EndpointName, name }] : []
})

test('the SID is accepted for all resources of the platform that have a record per row', () => {
  expect(creations.length).toBeGreaterThan(15)
})

test.each(creations)(
  '$key replaces $name, never touches a record of another tenant, and rejects other text',
  async ({ key, name }) => {
    const request = async () => createRequest(rules[key], matrix, 'admin')
    const foreignSid: string = Object.entries(world.things.B).find(([sid]) => sid === name)?.[1] ?? world.sid.B
    const before = await snapshot(api)
    const first = await request()
    const malformed = await send(api.admin, key, { ...first, body: { ...first.body, [name]: 'mine' } })
    expect(statusAndMessage(malformed)).toEqual([400, `${name} must be a sid (UUID)`])
    const { path, body } = await request()
    const created = await send(api.admin, key, { path, body: { ...body, [name]: foreignSid } })
    expect(statusAndMessage(created)).toEqual([201, undefined])
    expect(Object.values(getRow(created))).not.toContain(foreignSid)
    const after = await snapshot(api)
    for (const [table, rows] of Object.entries(before)) {
      const foreignRows = rows.split('\n').filter((row) => row.includes(foreignSid))
      for (const row of foreignRows) expect(after[table]).toContain(row)
    }
  },
)

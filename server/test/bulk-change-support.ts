import type { BulkChange, DryRunRecord } from '@patchbay/contract/bulk-changes'
import { type Caller, member, type TestApi } from '@patchbay/testkit/test-api'
import { expect } from 'vitest'
import { getRow, type Row } from './fixtures.ts'

/** Records that bulk changes update, and the requests for it. */

export const createBulkSupport = (api: TestApi) => {
  let serial = 0
  const fresh = (): string => `${Date.now()}-${(serial += 1)}`
  const create = async (path: string, body: object) => {
    const answer = await api.admin.post(path, body)
    return member(answer, 'sid')
  }
  const hook = { url: 'https://app.example.org' }
  const createApplication = (account_sid: string) =>
    create('/Applications', { name: fresh(), account_sid, call_hook: hook, call_status_hook: hook })
  const createCarrier = (account_sid: string, values: object = {}) =>
    create('/VoipCarriers', { name: fresh(), account_sid, ...values })
  const createCarriers = async (account_sid: string, count: number): Promise<string[]> => {
    const sids: string[] = []
    for (let nth = 0; nth < count; nth += 1) sids.push(await createCarrier(account_sid))
    return sids
  }
  const readCarrier = async (sid: string) => getRow(await api.admin.get(`/VoipCarriers/${sid}`))

  const readEntries = async (sid: string): Promise<Row[]> =>
    getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${sid}`))['data'] as Row[]

  return { fresh, create, createApplication, createCarrier, createCarriers, readCarrier, readEntries }
}

export const dryRun = async (caller: Caller, body: object): Promise<DryRunRecord[]> => {
  const answer = await caller.post('/patchbay/bulk-changes/dry-run', { operation: 'update', ...body })
  expect(answer.status).toBe(200)
  return (answer.body as { records: DryRunRecord[] }).records
}
export const change = async (caller: Caller, body: object): Promise<BulkChange> => {
  const answer = await caller.post('/patchbay/bulk-changes', { operation: 'update', ...body })
  expect(answer.status).toBe(200)
  return answer.body as BulkChange
}
export const postUndo = (caller: Caller, { bulk_change_sid }: BulkChange) =>
  caller.post(`/patchbay/bulk-changes/${bulk_change_sid}/undo`, {})
export const undo = async (caller: Caller, changed: BulkChange): Promise<BulkChange> => {
  const answer = await postUndo(caller, changed)
  expect(answer.status).toBe(200)
  return answer.body as BulkChange
}

export const noAccess = 'This record does not exist, or you are not allowed to change it'

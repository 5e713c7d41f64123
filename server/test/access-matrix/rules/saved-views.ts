import { randomUUID } from 'node:crypto'
import type { UserName } from '@patchbay/testkit/test-world'
import { type CallerName, everyone } from '../callers.ts'
import type { MatrixWorld } from '../matrix-world.ts'
import { defineRules, forbidden, unique } from '../rule.ts'

/** Creates a view of the caller, or of another user if the caller is none, and returns its path. */
const ownView = async ({ api, users }: MatrixWorld, caller: CallerName): Promise<string> => {
  const { user_sid } = users[caller as UserName] ?? users['user of A']
  const saved_view_sid = randomUUID()
  const view = { saved_view_sid, user_sid, screen: 'recent-calls', name: unique(), search: '{}' }
  await api.test.database.db.insertInto('patchbay_saved_views').values(view).execute()
  return `/patchbay/saved-views/${saved_view_sid}`
}

const own = { may: everyone, usersOnly: true, refused: forbidden } as const
const ownWrite = { ...own, writes: true, allowViewOnly: true } as const

export const rules = defineRules({
  'GET /patchbay/list-settings': {
    ...own,
    answers: 200,
    call: () => '/patchbay/list-settings?screen=recent-calls',
  },
  'PUT /patchbay/list-columns': {
    ...ownWrite,
    answers: 204,
    call: () => ({ path: '/patchbay/list-columns', body: { screen: 'recent-calls', columns: ['time'] } }),
  },
  'POST /patchbay/saved-views': {
    ...ownWrite,
    answers: 201,
    call: () => ({ path: '/patchbay/saved-views', body: { screen: 'recent-calls', name: unique(), search: {} } }),
  },
  'PUT /patchbay/saved-views/:saved_view_sid': {
    ...ownWrite,
    answers: 204,
    call: async (world, caller) => ({ path: await ownView(world, caller), body: { name: unique() } }),
  },
  'DELETE /patchbay/saved-views/:saved_view_sid': { ...ownWrite, answers: 204, call: ownView },
})

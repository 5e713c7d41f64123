import type { ListedUser } from '@patchbay/contract/users'
import { expect, test } from 'vitest'
import { parseUserSearch, type UserSearch } from '../../routes/users.ts'
import { isAround, ownerLabel, userFilters } from './user-filters.ts'

const user = (more: Partial<ListedUser>): ListedUser => ({
  user_sid: 'u',
  name: 'ann',
  email: 'ann@example.org',
  scope: 'admin',
  is_active: 1,
  is_view_only: false,
  force_change: 0,
  provider: 'local',
  ...more,
})
const admin = user({})
const ofP = user({ scope: 'service_provider', service_provider_sid: 'P', service_provider_name: 'Acme' })
const ofA = user({ ...ofP, scope: 'account', account_sid: 'A', account_name: 'Clinic' })

test('USERS-04 shows All, or the name of the account or service provider, as the scope', () => {
  expect([admin, ofP, ofA].map(ownerLabel)).toEqual(['All', 'Service Provider: Acme', 'Account: Clinic'])
})

test('USERS-07 lists admins for every provider and other users for their own provider', () => {
  const listUsers = (provider: string) => [admin, ofP, ofA].filter((one) => isAround(one, provider))
  expect(listUsers('P')).toEqual([admin, ofP, ofA])
  expect(listUsers('Q')).toEqual([admin])
})

test.each<[UserSearch, ListedUser[]]>([
  [{}, [admin, ofP, ofA]],
  [{ scope: 'admin' }, [admin]],
  [{ scope: 'service_provider' }, [ofP]],
  [{ scope: 'account' }, [ofA]],
  [{ account: 'A' }, [ofA]],
  [{ account: 'B' }, []],
  [{ scope: 'admin', account: 'A' }, []],
])('filters the users by %j', (search, expected) => {
  expect([admin, ofP, ofA].filter((one) => userFilters.keep(one, search))).toEqual(expected)
})

test('ignores unknown parameters and values in the URL', () => {
  expect(parseUserSearch({ scope: 'account', account: 'A', filter: 'x', nonsense: 1 })).toEqual({
    scope: 'account',
    account: 'A',
    filter: 'x',
  })
  expect(parseUserSearch({ scope: 'emperor', account: '' })).toEqual({})
})

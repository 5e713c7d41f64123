import { planTypes } from '../accounts.ts'
import { describe, expect, test } from 'vitest'
import { accessLevel, type Actor, can, scopes } from '../access.ts'
import { maskClientPassword, maskKey, maskPassword, maskToken } from './masking.ts'
import { clampPage, defaultPageSize, pageCount, pagerItems, pageSizes } from '../lists/paging.ts'
import { passwordRequirementLabel, missingPasswordRequirements, passwordErrorMessage } from '../identity/passwords.ts'
import { formatPhoneNumber } from '../phone-number/format.ts'
import { isSipRealm } from '../sip/realms.ts'
import { copiesCallUrl, isWebhookUrl, isWebsocketUrl } from '../webhooks/webhooks.ts'

describe('paging', () => {
  test('COMMON-25 COMMON-26 offers the page sizes 25, 50, and 100, with 25 as the default', () => {
    expect(pageSizes).toEqual([25, 50, 100])
    expect(defaultPageSize).toBe(25)
  })

  test('COMMON-27 COMMON-28 counts pages from 1 to the rounded-up quotient of total and page size', () => {
    expect(pageCount(26, 25)).toBe(2)
    expect(pageCount(25, 25)).toBe(1)
    expect(pageCount(0, 25)).toBe(0)
    expect(clampPage(0, 5)).toBe(1)
    expect(clampPage(9, 5)).toBe(5)
    expect(clampPage(3, 0)).toBe(1)
  })

  /** Current page as [n], jumps as << and >>. */
  const drawPager = (page: number, pages: number) =>
    pagerItems(page, pages)
      .map((item) =>
        item.kind === 'jump' ? (item.direction === 'back' ? '<<' : '>>') : item.current ? `[${item.page}]` : item.page,
      )
      .join(' ')

  test.each([
    [1, 1, '[1]'],
    [1, 5, '[1] 2 3 4 5'],
    [1, 6, '[1] 2 3 4 5 6'],
    [6, 6, '1 2 3 4 5 [6]'],
    [1, 7, '[1] 2 3 4 >> 7'],
    [4, 7, '1 2 3 [4] 5 6 7'],
    [3, 6, '1 2 [3] 4 5 6'],
    [1, 10, '[1] 2 3 4 >> 10'],
    [4, 10, '1 2 3 [4] 5 >> 10'],
    [5, 10, '1 << 4 [5] 6 >> 10'],
    [7, 10, '1 << 6 [7] 8 9 10'],
    [10, 10, '1 << 7 8 9 [10]'],
    [4, 8, '1 2 3 [4] 5 >> 8'],
    [5, 8, '1 << 4 [5] 6 7 8'],
    [10, 20, '1 << 9 [10] 11 >> 20'],
  ])('COMMON-29 COMMON-31 page %i of %i shows %s', (page, pages, expected) => {
    expect(drawPager(page, pages)).toBe(expected)
  })

  test('COMMON-30 jumps by 3 pages, but not past the ends', () => {
    const jumps = (page: number, pages: number) =>
      pagerItems(page, pages).flatMap((item) => (item.kind === 'jump' ? [item.to] : []))
    expect(jumps(10, 20)).toEqual([7, 13])
    expect(jumps(1, 10)).toEqual([4])
    expect(jumps(10, 10)).toEqual([7])
    for (let pages = 1; pages < 30; pages += 1)
      for (let page = 1; page <= pages; page += 1)
        for (const to of jumps(page, pages)) expect(to >= 1 && to <= pages).toBe(true)
  })
})

test('COMMON-55 knows the plans trial, free, and paid', () => {
  expect([...planTypes].toSorted((a, b) => a.localeCompare(b))).toEqual(['free', 'paid', 'trial'])
})

describe('scopes', () => {
  test('COMMON-56 AUTH-28 assigns the levels 0, 1, and 2 to account, service_provider, and admin', () => {
    expect(scopes).toEqual(['account', 'service_provider', 'admin'])
    expect(scopes.map(accessLevel)).toEqual([0, 1, 2])
  })

  const actor = (more: Partial<Actor>): Actor => ({
    token: 'user',
    scope: 'account',
    user_sid: 'U',
    account_sid: 'A',
    service_provider_sid: 'P',
    is_view_only: false,
    must_change_password: false,
    ...more,
  })
  const provider = actor({ scope: 'service_provider', account_sid: null })
  const admin = actor({ scope: 'admin', account_sid: null, service_provider_sid: null })

  test('restricts access to own records, and access to platform records to admins', () => {
    const own = { account_sid: 'A', service_provider_sid: 'P' }
    const sister = { account_sid: 'B', service_provider_sid: 'P' }
    const foreign = { account_sid: 'C', service_provider_sid: 'Q' }
    const nobodys = { account_sid: null, service_provider_sid: null }
    const reach = (who: Actor) => [own, sister, foreign, nobodys].map((owner) => can(who, 'write', owner))
    expect(reach(actor({}))).toEqual([true, false, false, false])
    expect(reach(provider)).toEqual([true, true, false, false])
    expect(reach(admin)).toEqual([true, true, true, true])
    expect(reach(actor({ account_sid: null }))).toEqual([false, false, false, false])
    expect(reach(actor({ scope: 'service_provider', service_provider_sid: null }))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('lets view-only users only read, and denies everything until a required password change', () => {
    const own = { account_sid: 'A', service_provider_sid: 'P' }
    expect(can(actor({ is_view_only: true }), 'read', own)).toBe(true)
    expect(can(actor({ is_view_only: true }), 'write', own)).toBe(false)
    expect(can(actor({ must_change_password: true }), 'read', own)).toBe(false)
  })
})

describe('passwords', () => {
  const strict = { min_password_length: 6, require_digit: 1, require_special_character: 1 }

  test.each([
    ['abcdef1!', []],
    ['abcdef', ['digit', 'special']],
    ['abcdef1', ['special']],
    ['abcdef1~', ['special']],
    ['abcdef1`', ['special']],
    ['abcdef1 ', ['special']],
    ['a1!', ['length']],
    ['', ['length', 'digit', 'special']],
  ])(
    'AUTH-22 reports for %j the unmet requirements %j of length 6, digit, and special character',
    (password, faults) => {
      expect(missingPasswordRequirements(password, strict)).toEqual(faults)
    },
  )

  test('AUTH-22 requires nothing for rules that are off', () => {
    expect(
      missingPasswordRequirements('abcdef', { ...strict, require_digit: 0, require_special_character: 0 }),
    ).toEqual([])
  })

  test('accepts each special character', () => {
    for (const special of '!@#$%^&*()_+-=[]{};\':"\\|,.<>/?')
      expect(missingPasswordRequirements(`abcde1${special}`, strict)).toEqual([])
  })

  test('includes the configured length in the messages', () => {
    expect(passwordRequirementLabel('length', { ...strict, min_password_length: 9 })).toBe(
      'Be at least 9 characters long',
    )
    expect(passwordErrorMessage('length', { ...strict, min_password_length: 9 })).toBe(
      'password must be at least 9 characters long',
    )
  })
})

test('COMMON-38 COMMON-39 masks a token except for its last four characters, and a key except for its first six', () => {
  expect(maskToken('1f6e4d2a-90ab-4cde-8f01-23456789abcd')).toBe('********-****-****-****-********abcd')
  expect(maskToken('abc')).toBe('***')
  expect(maskKey('sk-1234567')).toBe('sk-123XXXX')
  expect(maskKey('abcdef')).toBe('XXXXXX')
})

test('COMMON-39 a masked password shows none of its characters, and not its length', () => {
  expect(['secret-of-ours', 'x', ''].map(maskPassword)).toEqual(['XXXXXXXX', 'XXXXXXXX', ''])
})

test.each([
  ['sdf12412', 'sXXXXXXX'],
  ['ab', 'aX'],
  ['a', 'X'],
  ['', ''],
  ['😀b', '😀X'],
])('masks the password %j of a SIP client as %j', (password, masked) => {
  expect(maskClientPassword(password)).toBe(masked)
})

test.each([
  ['15083084809', '+1 (508) 308-4809'],
  ['5083084809', '(508) 308-4809'],
  ['+15083084809', '+15083084809'],
  ['442079460000', '442079460000'],
  ['15081084809', '15081084809'],
  ['25083084809', '25083084809'],
  ['sip:bob@x', 'sip:bob@x'],
])('formats the number %s as %s', (number, formatted) => {
  expect(formatPhoneNumber(number)).toBe(formatted)
})

test.each([
  ['sip.example.com', true],
  ['Sip.Example.com', true],
  ['localhost', true],
  ['a b.com', false],
  ['-a.com', false],
  ['a..b', false],
  ['', false],
  [`${'a'.repeat(63)}.${'b'.repeat(63)}.com`, true],
  [`${'a'.repeat(64)}.com`, false],
])('%j is a SIP realm: %s', (realm, is) => {
  expect(isSipRealm(realm)).toBe(is)
})

test('accepts absolute http and websocket URLs as webhooks', () => {
  for (const url of ['http://a', 'https://a.b/c?d', 'ws://a', 'wss://a:1']) expect(isWebhookUrl(url)).toBe(true)
  for (const url of ['', 'a.b/c', '/x', 'ftp://a', 'javascript:alert(1)']) expect(isWebhookUrl(url)).toBe(false)
  expect(isWebsocketUrl('wss://a')).toBe(true)
  expect(isWebsocketUrl('https://a')).toBe(false)
})

test.each<[string, string, string | undefined, boolean]>([
  ['https://a', '', undefined, true],
  ['https://ab', 'https://a', 'https://a', true],
  ['https://ab', 'https://a', undefined, false],
  ['wss://ab', 'ws://b', undefined, true],
  ['https://ab', 'ws://b', undefined, false],
  ['wss://ab', 'https://b', undefined, false],
])(
  'with %s typed as the calling webhook the status webhook %s, copied %s, goes along: %s',
  (typed, status, copied, goes) => {
    expect(copiesCallUrl(typed, status, copied)).toBe(goes)
  },
)

import { describe, expect, test } from 'vitest'
import {
  lookUpRoute,
  matchPattern,
  prioritized,
  routingsFor,
  separateDefaultRoute,
  systemDefaultRoute,
  validatePatterns,
} from './outbound.ts'

const route = (regex: string, priority: number, ...carriers: string[]) => ({
  regex,
  priority,
  lcr_carrier_set_entries: prioritized(carriers.map((voip_carrier_sid) => ({ voip_carrier_sid }))),
})

/** Returns the outcome of each route, followed by the carrier. */
const lookUp = (routes: readonly ReturnType<typeof route>[], number: string) => {
  const { steps, voip_carrier_sid } = lookUpRoute(routes, number)
  return [...steps.map(({ route: { regex }, outcome }) => `${regex} ${outcome.is}`), voip_carrier_sid]
}

test('separates the default route from the others by its carrier entry', () => {
  const withEntry = (lcr_carrier_set_entry_sid: string, voip_carrier_sid: string) => ({
    lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid, voip_carrier_sid }],
  })
  const [first, second] = [withEntry('e1', 'north'), withEntry('e2', 'south')]
  const withoutCarriers = { lcr_carrier_set_entries: [] }
  const all = [first, withoutCarriers, second]
  expect(separateDefaultRoute({ default_carrier_set_entry_sid: 'e2' }, all)).toEqual({
    routes: [first, withoutCarriers],
    defaultRoute: second,
    default_voip_carrier_sid: 'south',
  })
  for (const default_carrier_set_entry_sid of [null, 'unknown'])
    expect(separateDefaultRoute({ default_carrier_set_entry_sid }, all)).toEqual({
      routes: all,
      defaultRoute: undefined,
      default_voip_carrier_sid: null,
    })
})

test('LCR-14 LCR-15 derives priorities from positions, and adds a default route', () => {
  expect(systemDefaultRoute).toEqual({ regex: '.*', description: 'System Default Route', priority: 9999 })
  expect(prioritized([{ regex: '1' }, { regex: '2', priority: 7 }])).toEqual([
    { regex: '1', priority: 0 },
    { regex: '2', priority: 1 },
  ])
})

describe('routingsFor', () => {
  const [A, P, Q] = ['A', 'P', 'Q']
  const ofA = { account_sid: A, service_provider_sid: null }
  const ofP = { account_sid: null, service_provider_sid: P }
  const others = [
    { account_sid: 'B', service_provider_sid: null },
    { account_sid: null, service_provider_sid: Q },
    { account_sid: null, service_provider_sid: null },
  ]

  test.each([
    ['the account’s', [...others, ofA], [ofA]],
    ['the provider’s', [ofP, ...others], [ofP]],
    ['any of both', [ofP, ...others, ofA], [ofP, ofA]],
    ['none', others, []],
  ])('%s', (_, routings, expected) => {
    expect(routingsFor(routings, { account_sid: A, service_provider_sid: P })).toEqual(expected)
  })

  test('returns no LCR for an account without a service provider', () => {
    expect(routingsFor(others, { account_sid: A, service_provider_sid: null })).toEqual([])
  })
})

describe('matchPattern', () => {
  test.each([
    ['1508', '15083084809', { how: 'prefix' }],
    ['1508', '4415081', { how: 'pattern', at: 2 }],
    ['^1508', '4415081', { how: 'none' }],
    ['.*', '44', { how: 'pattern', at: 0 }],
    ['1*', '44', { how: 'pattern', at: 0 }],
    ['+44', '+442071838750', { how: 'prefix' }],
    ['+44', '442071838750', { how: 'invalid', reason: 'Nothing to repeat' }],
    ['(', '44', { how: 'invalid', reason: 'Unterminated group' }],
    ['', '44', { how: 'prefix' }],
    ['4$', '44', { how: 'pattern', at: 1 }],
  ])('%j and %s: %j', (regex, number, match) => {
    expect(matchPattern(regex, number)).toEqual(match)
  })
})

describe('lookUpRoute', () => {
  test.each([
    [
      'the first that matches, by priority',
      [route('.*', 9, 'c'), route('44', 1, 'a'), route('^1', 0, 'b')],
      '44207',
      ['^1 unmatched', '44 taken', '.* not_tried', 'a'],
    ],
    ['the first of its carriers alone', [route('44', 0, 'a', 'b')], '44', ['44 taken', 'a']],
    ['one without carriers is passed over', [route('44', 0), route('4', 1, 'b')], '44', ['44 empty', '4 taken', 'b']],
    [
      'an invalid pattern ends it',
      [route('(', 0, 'a'), route('.*', 1, 'b')],
      '44',
      ['( invalid', '.* not_tried', null],
    ],
    [
      'unless the number begins with it',
      [route('+44', 0, 'a'), route('.*', 1, 'b')],
      '+44',
      ['+44 taken', '.* not_tried', 'a'],
    ],
    ['nothing', [route('^1', 0, 'a')], '44', ['^1 unmatched', null]],
    ['no routes', [], '44', [null]],
  ] as const)('%s', (_, routes, number, expected) => {
    expect(lookUp(routes, number)).toEqual(expected)
  })

  test('marks ties between carriers and between routes', () => {
    const tied = {
      ...route('44', 5),
      lcr_carrier_set_entries: ['a', 'b'].map((sid) => ({ voip_carrier_sid: sid, priority: 0 })),
    }
    const { steps } = lookUpRoute([route('1', 4, 'x'), tied, route('44', 5, 'y')], '44')
    expect(steps.map(({ isByChance }) => isByChance)).toEqual([false, true, true])
    expect(steps[1]?.outcome).toMatchObject({ is: 'taken', isByChance: true })
  })

  test.each([
    ['one route', [route('44', 1, 'a')], false],
    [
      'another carrier of the same priority',
      [
        {
          ...route('44', 1, 'a', 'b'),
          lcr_carrier_set_entries: ['a', 'b'].map((voip_carrier_sid) => ({ voip_carrier_sid, priority: 0 })),
        },
      ],
      true,
    ],
    ['a later route', [route('44', 1, 'a'), route('4', 2, 'b')], false],
    ['an equal route with another carrier', [route('44', 1, 'a'), route('4', 1, 'b')], true],
    ['an equal route with the same carrier', [route('44', 1, 'a'), route('4', 1, 'a')], false],
    ['an equal route that does not match', [route('44', 1, 'a'), route('1', 1, 'b')], false],
    ['an equal route that ends the lookup', [route('44', 1, 'a'), route('(', 1, 'b')], true],
    ['an equal route without carriers', [route('44', 1, 'a'), route('4', 1)], false],
  ])('%s decides by chance: %#', (_case, routes, isByChance) => {
    expect(lookUpRoute(routes, '44207')).toMatchObject({ voip_carrier_sid: 'a', isByChance })
  })
})

/** Returns the kinds of problems of each pattern, with the position of the pattern that causes them. */
const faults = (...patterns: string[]) =>
  validatePatterns(patterns).map((each) => each.map((fault) => ('by' in fault ? `${fault.is} ${fault.by}` : fault.is)))

describe('validatePatterns', () => {
  test.each([
    [
      ['', '  '],
      [['empty'], ['empty']],
    ],
    [['^'.padEnd(33, '1')], [['too_long']]],
    [['^'.padEnd(32, '1')], [[]]],
    [
      ['(', '+44'],
      [['invalid'], ['invalid', 'cut_off 0']],
    ],
    [
      ['^44', '1508', '^(1|2)', '^1|2', '^1|^2'],
      [[], ['unanchored'], [], ['unanchored'], []],
    ],
    [
      ['^44', '^44'],
      [[], ['duplicate 0']],
    ],
    [
      ['.*', '^44'],
      [['matches_all'], ['shadowed 0']],
    ],
    [
      ['^.+$', '1*', '^.$', '.', '^\\d*'],
      [
        ['matches_all'],
        ['matches_all', 'shadowed 0'],
        ['shadowed 0'],
        ['matches_all', 'shadowed 0'],
        ['matches_all', 'shadowed 0'],
      ],
    ],
    [
      ['^44', '^4420', '^4', '^4\\d*4'],
      [[], ['shadowed 0'], [], ['shadowed 2']],
    ],
    [
      ['44', '^1442', '^4?4'],
      [['unanchored'], ['shadowed 0'], []],
    ],
    [
      ['^44', '44'],
      [[], ['unanchored']],
    ],
    [
      ['^44$', '^44'],
      [[], []],
    ],
    [
      ['\\+44', '^\\+442'],
      [['unanchored'], ['shadowed 0']],
    ],
    [
      ['', '^44'],
      [['empty'], []],
    ],
  ])('%j', (patterns, kinds) => {
    expect(faults(...patterns)).toEqual(kinds)
  })

  test('returns a message for each problem', () => {
    const messages = validatePatterns(['.*', '(', '^'.padEnd(40, '1'), '', '44', '44'])
      .flat()
      .map(({ msg }) => msg)
    expect(messages).toHaveLength(9)
    expect(messages).toContain('Never reached: route 1 matches all of its numbers first')
    expect(messages).toContain('Same as route 5, which is tried first')
    expect(messages).toContain('At most 32 characters')
  })
})

/** Returns a reproducible pseudorandom number generator. */
const sequence = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const parts = [
  '^',
  '$',
  '1',
  '2',
  '12',
  '.',
  '.*',
  '\\d',
  '[12]',
  '\\+',
  '+',
  '*',
  '?',
  '(',
  ')',
  '|',
  '{2}',
  '\\b',
  '(?=1)',
  '[^1]',
]

const patternFrom = (next: (below: number) => number): string =>
  Array.from({ length: 1 + next(4) }, () => parts[next(parts.length)]).join('')

const digitsFrom = (next: (below: number) => number): string =>
  Array.from({ length: 1 + next(6) }, (_, at) => '12+'[next(at === 0 ? 3 : 2)]).join('')

describe('with any patterns and numbers', () => {
  test('no number uses a route that is reported as unreachable, and patterns reported as matching everything do', () => {
    const next = sequence(7)
    let unreached = 0
    for (let round = 0; round < 3000; round += 1) {
      const patterns = Array.from({ length: 4 }, () => patternFrom(next))
      const problems = validatePatterns(patterns)
      const routes = patterns.map((regex, at) => route(regex, at, String(at)))
      const unreachable = problems.flatMap((each, at) => (each.some((fault) => 'by' in fault) ? [at] : []))
      unreached += unreachable.length
      for (let call = 0; call < 20; call += 1) {
        const number = digitsFrom(next)
        const taken = lookUpRoute(routes, number).voip_carrier_sid
        expect([patterns, number, unreachable.includes(Number(taken ?? -1))]).toEqual([patterns, number, false])
        const all = patterns.filter((_, at) => problems[at]?.some(({ is }) => is === 'matches_all'))
        expect(all.filter((regex) => matchPattern(regex, number).how === 'none')).toEqual([])
      }
    }
    expect(unreached).toBeGreaterThan(500)
  })

  test('stops at the first route that takes the number', () => {
    const next = sequence(11)
    for (let round = 0; round < 2000; round += 1) {
      const routes = Array.from({ length: 5 }, (_, at) =>
        route(patternFrom(next), next(5), ...(next(4) === 0 ? [] : [`c${at}`])),
      )
      const { steps, voip_carrier_sid } = lookUpRoute(routes, digitsFrom(next))
      const kinds = steps.map(({ outcome }) => outcome.is)
      const end = kinds.findIndex((is) => is === 'taken' || is === 'invalid')
      expect(kinds.slice(end < 0 ? kinds.length : end + 1).every((is) => is === 'not_tried')).toBe(true)
      expect(kinds.slice(0, end < 0 ? kinds.length : end).every((is) => is === 'unmatched' || is === 'empty')).toBe(
        true,
      )
      expect(voip_carrier_sid === null).toBe(!kinds.includes('taken'))
      expect(steps).toHaveLength(5)
    }
  })
})

import { expect, test } from 'vitest'
import { chanceText, dialled, outcomeText, type TriedRoute, triedSteps, unseenText } from './simulate-routing.ts'

const route = (regex: string, priority: number, ...carriers: string[]): TriedRoute => ({
  regex,
  priority,
  lcr_carrier_set_entries: carriers.map((voip_carrier_sid) => ({ voip_carrier_sid, priority: 0 })),
})

test.each([
  ['+1 (508) 308-4809', '+15083084809'],
  [' 508 308 4809 ', '5083084809'],
  ['*98', '*98'],
  ['bob smith', 'bobsmith'],
  ['', ''],
])('%j is dialled as %j', (typed, number) => {
  expect(dialled(typed)).toBe(number)
})

test('LCR-05 each route is told in its order: the first match wins, and those behind it are only counted', () => {
  const routes = [
    route('.*', 9999, 'z'),
    route('^44', 0, 'a'),
    route('5083', 1),
    route('1508', 2, 'b'),
    route('^1', 3, 'c'),
  ]
  const { tried, untried, voip_carrier_sid } = triedSteps(routes, '15083084809')
  expect(tried.map((step) => [step.route.regex, outcomeText(step.outcome)])).toEqual([
    ['^44', 'Does not match'],
    ['5083', 'Matches inside the number, from character 2, but it has no carrier: passed over'],
    ['1508', 'The number begins with it: taken'],
  ])
  expect([untried, voip_carrier_sid]).toEqual([2, 'b'])
})

test('an expression that is none ends the look-up, and says so', () => {
  const { tried, untried, voip_carrier_sid } = triedSteps([route('(', 0, 'a'), route('.*', 1, 'b')], '44')
  expect(tried.map(({ outcome }) => outcomeText(outcome))).toEqual([
    'No valid expression (Unterminated group): the look-up ends here, without a carrier',
  ])
  expect([untried, voip_carrier_sid]).toEqual([1, null])
})

test('what is left to chance is said', () => {
  const said = (...routes: TriedRoute[]) => triedSteps(routes, '44').tried.map(chanceText)
  expect(said(route('^1', 0, 'a'), route('.', 0, 'b'))).toEqual([
    'Another route has the same priority: which of them is tried first is not said.',
    'Another route has the same priority: which of them is tried first is not said.',
  ])
  expect(said(route('4', 0, 'a', 'b'))).toEqual([
    'Two of its carriers have the same priority: either of them may be taken.',
  ])
  expect(said(route('4', 0, 'a'))).toEqual([undefined])
})

test('who cannot see all that the platform finds is told so', () => {
  expect(unseenText({ scope: 'admin' })).toBeUndefined()
  expect(unseenText({ scope: 'account' })).toContain('your service provider')
  expect(unseenText({ scope: 'service_provider' })).toContain('the account')
})

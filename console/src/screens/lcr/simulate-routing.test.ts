import { expect, test } from 'vitest'
import { chanceText, outcomeText, type TriedRoute, toDialString, triedSteps, unseenText } from './simulate-routing.ts'

const route = (regex: string, priority: number, ...carriers: string[]): TriedRoute => ({
  regex,
  priority,
  lcr_carrier_set_entries: carriers.map((voip_carrier_sid) => ({ voip_carrier_sid, priority: 0 })),
})

test.each([
  ['+1 (508) 308-4809', '+15083084809'],
  [' 508 308 4809 ', '5083084809'],
  ['*98', '*98'],
  ['(+44) 20 7946 0018', '+442079460018'],
  ['tel:+1-508-308-4809', '+15083084809'],
  ['\u202a+15083084809\u202c', '+15083084809'],
  ['\uff0b1 508 308 4809', '+15083084809'],
  ["'+15083084809", '+15083084809'],
  ['sip:bob@example.com', 'sip:bob@example.com'],
  ['bob smith', 'bobsmith'],
  ['', ''],
])('converts %j to the dial string %j', (typed, number) => {
  expect(toDialString(typed)).toBe(number)
})

test('LCR-05 tries routes in order, stops at the first match, and only counts the rest', () => {
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
    ['5083', 'Matches inside the number, from character 2, but it has no carrier: skipped'],
    ['1508', 'The number starts with it: taken'],
  ])
  expect([untried, voip_carrier_sid]).toEqual([2, 'b'])
})

test('reports an invalid expression and stops the lookup', () => {
  const { tried, untried, voip_carrier_sid } = triedSteps([route('(', 0, 'a'), route('.*', 1, 'b')], '44')
  expect(tried.map(({ outcome }) => outcomeText(outcome))).toEqual([
    'Invalid expression (Unterminated group): the lookup ends here without a carrier',
  ])
  expect([untried, voip_carrier_sid]).toEqual([1, null])
})

test('notes equal priorities of routes or carriers', () => {
  const getNotes = (...routes: TriedRoute[]) => triedSteps(routes, '44').tried.map(chanceText)
  expect(getNotes(route('^1', 0, 'a'), route('.', 0, 'b'))).toEqual([
    'Another route has the same priority. Their order is undefined.',
    'Another route has the same priority. Their order is undefined.',
  ])
  expect(getNotes(route('4', 0, 'a', 'b'))).toEqual([
    'Two of its carriers have the same priority. The platform may use either.',
  ])
  expect(getNotes(route('4', 0, 'a'))).toEqual([undefined])
})

test('notes that other routings may be hidden from the user', () => {
  expect(unseenText({ scope: 'admin' })).toBeUndefined()
  expect(unseenText({ scope: 'account' })).toContain('your service provider')
  expect(unseenText({ scope: 'service_provider' })).toContain('the account')
})

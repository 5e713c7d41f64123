import { afterEach, expect, test } from 'vitest'
import { choose, defaultPreferences, parsePreferences, preferences, startPreferences } from './preferences.ts'

afterEach(() => choose(defaultPreferences))

test.each([
  null,
  '',
  'no JSON',
  'null',
  '7',
  '[]',
  '{}',
  '{"timeZone":"Mars/Olympus","clock":"13","density":"roomy","letterKeys":"some"}',
  '{"timeZone":7}',
])('of %j the choices are as by default', (text) => {
  expect(parsePreferences(text)).toEqual(defaultPreferences)
})

test.each(['local', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('%s is a zone to choose', (timeZone) => {
  expect(parsePreferences(JSON.stringify({ timeZone }))).toEqual({ ...defaultPreferences, timeZone })
})

test('what was chosen comes back at the next visit', () => {
  const stored: string[] = []
  const end = startPreferences({ dataset: {} }, null, (text) => void stored.push(text))
  choose({ timeZone: 'Asia/Tokyo' })
  choose({ clock: '12', density: 'compact', letterKeys: 'off' })
  end()
  choose(defaultPreferences)
  expect(stored).toHaveLength(2)

  startPreferences({ dataset: {} }, stored[1] ?? '', () => {})()
  expect(preferences()).toEqual({ timeZone: 'Asia/Tokyo', clock: '12', density: 'compact', letterKeys: 'off' })
})

test('the density stands on the root element, from the start and after each change', () => {
  const root = { dataset: {} as DOMStringMap }
  const end = startPreferences(root, '{"density":"compact"}', () => {})
  expect(root.dataset['density']).toBe('compact')
  choose({ density: 'comfortable' })
  expect(root.dataset['density']).toBe('comfortable')
  end()
})

test('taking up the choices stores nothing', () => {
  const stored: string[] = []
  startPreferences({ dataset: {} }, '{"clock":"12"}', (text) => void stored.push(text))()
  expect(stored).toEqual([])
})

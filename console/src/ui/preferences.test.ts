import { afterEach, expect, test } from 'vitest'
import {
  choose,
  codeSizes,
  defaultPreferences,
  parsePreferences,
  preferences,
  startPreferences,
} from './preferences.ts'

const element = (properties: Record<string, string> = {}) => ({
  dataset: {} as DOMStringMap,
  style: { setProperty: (name: string, value: string | null) => void (properties[name] = value ?? '') },
})

afterEach(() => choose(defaultPreferences))

test.each([
  null,
  '',
  'no JSON',
  'null',
  '7',
  '[]',
  '{}',
  '{"timeZone":"Mars/Olympus","clock":"13","density":"roomy","codeSize":7,"letterKeys":"some","startPage":"alerts"}',
  '{"timeZone":7}',
])('of %j the choices are as by default', (text) => {
  expect(parsePreferences(text)).toEqual(defaultPreferences)
})

test.each(['local', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('%s is a zone to choose', (timeZone) => {
  expect(parsePreferences(JSON.stringify({ timeZone }))).toEqual({ ...defaultPreferences, timeZone })
})

test('restores the preferences at the next visit', () => {
  const stored: string[] = []
  const end = startPreferences(element(), null, (text) => void stored.push(text))
  choose({ timeZone: 'Asia/Tokyo' })
  choose({ clock: '12', density: 'compact', codeSize: 16, letterKeys: 'off', startPage: 'overview' })
  end()
  choose(defaultPreferences)
  expect(stored).toHaveLength(2)

  startPreferences(element(), stored[1] ?? '', () => {})()
  expect(preferences()).toEqual({
    timeZone: 'Asia/Tokyo',
    clock: '12',
    density: 'compact',
    codeSize: 16,
    letterKeys: 'off',
    startPage: 'overview',
  })
})

test('the density stands on the root element, from the start and after each change', () => {
  const root = element()
  const end = startPreferences(root, '{"density":"compact"}', () => {})
  expect(root.dataset['density']).toBe('compact')
  choose({ density: 'comfortable' })
  expect(root.dataset['density']).toBe('comfortable')
  end()
})

test('taking up the choices stores nothing', () => {
  const stored: string[] = []
  startPreferences(element(), '{"clock":"12"}', (text) => void stored.push(text))()
  expect(stored).toEqual([])
})

test('COMMON-47 code is read in a size from 8 to 20, from the start and after each change', () => {
  expect(codeSizes).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  for (const codeSize of codeSizes) expect(parsePreferences(JSON.stringify({ codeSize })).codeSize).toBe(codeSize)
  for (const codeSize of [7, 21, '12', null])
    expect(parsePreferences(JSON.stringify({ codeSize })).codeSize).toBe(defaultPreferences.codeSize)
  const properties: Record<string, string> = {}
  const end = startPreferences(element(properties), '{"codeSize":16}', () => {})
  expect(properties['--size-code']).toBe('1rem')
  choose({ codeSize: 8 })
  expect(properties['--size-code']).toBe('0.5rem')
  end()
})

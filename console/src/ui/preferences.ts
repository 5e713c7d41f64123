import { useSyncExternalStore } from 'react'

/** Display preferences. Stored and sent data does not depend on them. */
export interface Preferences {
  /** `local` for the time zone of the browser, `UTC`, or an IANA name such as Europe/Berlin. */
  timeZone: string
  clock: '24' | '12'
  density: 'comfortable' | 'compact'
  /** The font size of logs, messages, and code in pixels. */
  codeSize: number
  /** Whether single-character shortcuts such as `/` are enabled. */
  letterKeys: 'on' | 'off'
  /** The last part of the path that opens after signing in. The default depends on the scope of the user. */
  startPage: 'default' | 'overview'
}

/** The available font sizes (COMMON-47). */
export const codeSizes: readonly number[] = Array.from({ length: 13 }, (_, index) => 8 + index)

export const defaultPreferences: Preferences = {
  timeZone: 'local',
  clock: '24',
  density: 'comfortable',
  codeSize: 13,
  letterKeys: 'on',
  startPage: 'default',
}

export const isTimeZone = (name: string): boolean => {
  if (name === 'local' || name === 'UTC') return true
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** Parses stored preferences. Missing and invalid values are replaced by their defaults. */
export const parsePreferences = (text: string | null): Preferences => {
  let stored: unknown
  try {
    stored = JSON.parse(text ?? '')
  } catch {}
  const { timeZone, clock, density, codeSize, letterKeys, startPage } = Object(stored) as Record<string, unknown>
  return {
    timeZone: typeof timeZone === 'string' && isTimeZone(timeZone) ? timeZone : defaultPreferences.timeZone,
    clock: clock === '12' ? '12' : '24',
    density: density === 'compact' ? 'compact' : 'comfortable',
    codeSize: codeSizes.find((size) => size === codeSize) ?? defaultPreferences.codeSize,
    letterKeys: letterKeys === 'off' ? 'off' : 'on',
    startPage: startPage === 'overview' ? startPage : 'default',
  }
}

let chosen = defaultPreferences
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const preferences = (): Preferences => chosen

/** Changes preferences. The change applies immediately everywhere. */
export const choose = (change: Partial<Preferences>): void => {
  chosen = { ...chosen, ...change }
  for (const listener of listeners) listener()
}

/**
 * Applies the stored preferences to the root element, where the style sheets read them, and passes every change as a
 * text to `store`. Returns a function that ends both.
 */
export const startPreferences = (
  root: Pick<HTMLElement, 'dataset'> & { style: Pick<CSSStyleDeclaration, 'setProperty'> },
  stored: string | null,
  store: (text: string) => void,
): (() => void) => {
  const show = () => {
    root.dataset['density'] = chosen.density
    // Uses rem, so that the size follows the font size of the browser.
    root.style.setProperty('--size-code', `${chosen.codeSize / 16}rem`)
  }
  choose(parsePreferences(stored))
  show()
  return subscribe(() => {
    show()
    store(JSON.stringify(chosen))
  })
}

/** Returns the current preferences, and renders again when they change. */
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences)

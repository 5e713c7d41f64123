import type { Locator } from '@playwright/test'

/** Counts presses of the pointer, and fields that were typed, selected, or given a file. */
export interface InputCounts {
  clicks: number
  fields: number
}

/** A user whose clicks and inputs are counted. Moving through a page without either is free. */
export interface CountedUser {
  click(target: Locator): Promise<void>
  /** Types a text into a field. Counts as one field. */
  fill(target: Locator, text: string): Promise<void>
  /** Selects an option of a select element. Counts as one field. */
  select(target: Locator, label: string): Promise<void>
  /** Chooses a file. Counts as one field. */
  choose(target: Locator, file: { name: string; content: string; type?: string }): Promise<void>
  /** Returns the clicks and fields so far. */
  count(): InputCounts
}

/** Creates a user that counts. */
export const createCountedUser = (): CountedUser => {
  const counts: InputCounts = { clicks: 0, fields: 0 }
  const counted = async (kind: keyof InputCounts, action: Promise<unknown>) => {
    counts[kind] += 1
    await action
  }
  return {
    click: (target) => counted('clicks', target.click()),
    fill: (target, text) => counted('fields', target.fill(text)),
    select: (target, label) => counted('fields', target.selectOption({ label })),
    choose: (target, { name, content, type = 'application/json' }) =>
      counted('fields', target.setInputFiles({ name, mimeType: type, buffer: Buffer.from(content) })),
    count: () => ({ ...counts }),
  }
}

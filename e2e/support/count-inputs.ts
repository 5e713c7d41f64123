import type { Locator } from '@playwright/test'

/** A user whose clicks and inputs are counted. Moving through a page without either is free. */
export interface CountedUser {
  click(target: Locator): Promise<void>
  /** Types a text into a field. Counts as one input. */
  fill(target: Locator, text: string): Promise<void>
  /** Selects an option of a select element. Counts as one input. */
  select(target: Locator, label: string): Promise<void>
  /** Chooses a file. Counts as one input. */
  choose(target: Locator, file: { name: string; content: string }): Promise<void>
  /** Returns the number of clicks and inputs so far. */
  count(): number
}

/** Creates a user that counts. */
export const createCountedUser = (): CountedUser => {
  let count = 0
  const counted = async (action: Promise<unknown>) => {
    count += 1
    await action
  }
  return {
    click: (target) => counted(target.click()),
    fill: (target, text) => counted(target.fill(text)),
    select: (target, label) => counted(target.selectOption({ label })),
    choose: (target, { name, content }) =>
      counted(target.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) })),
    count: () => count,
  }
}

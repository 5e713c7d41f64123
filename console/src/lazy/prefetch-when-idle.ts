/** Loads the code of screens that the user will probably open next, while the browser is idle. */

export type Load = () => Promise<unknown>

/** Resolves when the browser is idle. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve())
    else setTimeout(resolve, 300)
  })

/** Returns whether the user has asked the browser to save data. Then only opened screens are fetched. */
export const savesData = (): boolean => {
  const connection: unknown = Reflect.get(navigator, 'connection')
  return typeof connection === 'object' && connection !== null && Reflect.get(connection, 'saveData') === true
}

const started = new Set<Load>()

/**
 * Loads chunks one after another while the browser is idle. A chunk that fails to load is fetched when it is opened.
 */
export const prefetchWhenIdle = async (loads: readonly Load[]): Promise<void> => {
  if (savesData()) return
  for (const load of loads) {
    if (started.has(load)) continue
    await idle()
    if (started.has(load)) continue
    started.add(load)
    await load().catch(() => started.delete(load))
  }
}

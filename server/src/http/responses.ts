/** Creates the responses of handlers, with a literal status so that the contract's types apply. */
export const ok = <T>(body: T): { status: 200; body: T } => ({ status: 200, body })
export const created = <T>(body: T): { status: 201; body: T } => ({ status: 201, body })
export const noContent = { status: 204, body: undefined } as const

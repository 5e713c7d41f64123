import { ok } from '../../http/responses.ts'
import { createTenantLimit } from '../../lib/tenant-limit.ts'

/** Downloads of text that is generated while it is sent. */

/** Maximum concurrent exports of a kind per tenant. Each export reads for as long as its client downloads it. */
export const maxExportsPerTenant = 8

/** Releases the slot of an export when it has been sent, has failed, or its client has disconnected. */
const withRelease = async function* <T>(items: AsyncIterable<T>, release: () => void) {
  try {
    yield* items
  } finally {
    release()
  }
}

/** Returns a function that creates the response of an export. The response fails if the tenant has too many exports. */
export const createTextExports = () => {
  const limit = createTenantLimit(maxExportsPerTenant)
  return (
    tenant: string,
    { type, name }: { type: string; name: string },
    generate: (signal: AbortSignal) => AsyncIterable<string>,
  ) => {
    const make = (signal: AbortSignal) => {
      const release = limit.acquire(tenant)
      // If the client disconnects before the first byte, the generator never starts, so its `finally` block does not
      // run.
      signal.addEventListener('abort', release, { once: true })
      return withRelease(generate(signal), release)
    }
    return ok({ type, content: { make }, headers: { 'content-disposition': `attachment; filename="${name}"` } })
  }
}

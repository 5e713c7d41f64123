/** When an API key may end: what a TIMESTAMP of the platform's tables holds. */
export const earliestExpiry = '1970-01-01T00:00:01Z'
export const lastKeyEnd = '2038-01-19T03:14:07Z'

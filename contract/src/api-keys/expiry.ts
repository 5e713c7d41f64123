/** Range of an API key's expiry: the range of a TIMESTAMP column in the platform's tables. */
export const earliestExpiry = '1970-01-01T00:00:01Z'
export const lastKeyEnd = '2038-01-19T03:14:07Z'

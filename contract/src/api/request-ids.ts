/** Response header with the request ID, which the server's log also contains. */
export const requestIdHeader = 'x-request-id'

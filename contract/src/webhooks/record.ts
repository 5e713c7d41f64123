export const webhookLengths = { url: 1024, username: 255, password: 255 } as const

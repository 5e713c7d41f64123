export const userLengths = { name: 255, email: 255, email_activation_code: 16 } as const

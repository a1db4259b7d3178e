/** Tests make every table anew, so that they see what the code does now, and leave nothing in the user's folder. */
process.env.GALLEY_CACHE = "";

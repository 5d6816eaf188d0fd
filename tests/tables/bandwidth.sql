-- The calls of each method in each minute, and their bytes.
SELECT date_trunc('minute', time) AS minute,
       coalesce(method, '#' || CAST(method_number AS STRING)) AS method,
       count(*) AS calls,
       sum(len) AS bytes
FROM messages
WHERE command IN ('call', 'set', 'relay') AND (method IS NOT NULL OR method_number IS NOT NULL)
GROUP BY 1, 2

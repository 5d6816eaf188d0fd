import sys
from pathlib import Path
from subprocess import PIPE, Popen
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import SparkSession

captures, answers, *questions = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
files = [[str(file)] for file in Path(captures).rglob("*.pcap*")]
paths = spark.createDataFrame(files, "file string").repartition(len(files))

def stream(file, table, columns):
    program = SparkFiles.get("gdwire")
    if not Path(program).exists():  # so the executors have the Python package
        import gdwire
        yield from pa.RecordBatchReader.from_stream(gdwire.read(file, table=table, columns=columns))
        return
    options = ["--format", "arrow", "--table", table, "--columns", ",".join(columns)]
    with Popen([program, "export", *options, file], stdout=PIPE) as child:
        yield from pa.ipc.open_stream(child.stdout)
    if child.returncode not in (0, 1):  # 1: some packets could not be decoded
        raise RuntimeError(f"{file}: gdwire ended with exit code {child.returncode}")

def export(table, schema):
    columns = [column.split()[0] for column in schema.split(", ")]
    def rows(batches):
        for file in (file for batch in batches for file in batch["file"].to_pylist()):
            yield from stream(file, table, columns)
    paths.mapInArrow(rows, schema).cache().createOrReplaceTempView(table)

export("messages", "file string, time timestamp, direction string, src_address string, "
    "src_port int, dst_address string, dst_port int, len bigint, command string, path string, "
    "method string, method_number int, digest string, confirmed boolean")
export("connections", "file string, messages bigint, missing_reliable bigint, "
    "missing_unreliable bigint, missing_parts bigint")
for question in map(Path, questions):
    spark.sql(question.read_text()).write.json(f"{answers}/{question.stem}")
spark.stop()
